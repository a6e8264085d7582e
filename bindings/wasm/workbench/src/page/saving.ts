// Saving, sharing, the report.
import { asText } from './talk-text.js';
import type { Client } from './client.js';
import { dialog, notice } from './dialog.js';
import type { Disk } from './disk.js';
import { byId, download, h } from './dom.js';
import { toFragment } from './share.js';
import type { State } from './state.js';

/** Links longer than this are cut by many programs that send them on. */
const LONG = 32_000;

export class Saving {
  readonly #state: State;
  readonly #disk: Disk;
  readonly #slow: () => Promise<Client>;

  constructor(state: State, disk: Disk, slow: () => Promise<Client>) {
    this.#state = state;
    this.#disk = disk;
    this.#slow = slow;
    byId('save').addEventListener('click', () => void this.save());
    byId('share').addEventListener('click', () => void this.share());
    byId('export').addEventListener('click', () => void this.report());
  }

  async save(): Promise<void> {
    const { protocol, facts } = this.#state;
    const { file } = this.#state;
    if (file === undefined) {
      download(`${facts?.id ?? 'protocol'}.yaml`, protocol.source, 'application/yaml');
      return;
    }
    try {
      await this.#disk.write(file, protocol.source);
      notice(`Saved to ${file}.`);
    } catch (error) {
      notice(`Not saved: ${error instanceof Error ? error.message : error}`, true);
    }
  }

  async share(): Promise<void> {
    const { protocol, text, asTurns } = this.#state;
    const files = Object.keys(protocol.files).length === 0 ? {} : { files: protocol.files };
    const fragment = await toFragment({ source: protocol.source, text, turns: asTurns, ...files });
    // With the command the address holds its token, which is nobody else's.
    const link = `${location.href.replace(/[?#].*$/, '')}#${fragment}`;
    if (!this.#disk.isOpen) history.replaceState(null, '', `#${fragment}`);
    const field = h('textarea', { readonly: true, 'aria-label': 'Link', rows: 5 }, link);
    const copy = h(
      'button',
      { type: 'button', class: 'main', onclick: () => void navigator.clipboard?.writeText(link).then(() => notice('The link is in the clipboard.')) },
      'Copy',
    );
    const long =
      link.length > LONG
        ? h(
            'p',
            { class: 'warn' },
            `The link has ${link.length.toLocaleString('en')} characters, more than some programs send on; save the files instead.`,
          )
        : null;
    dialog(
      'Share',
      h(
        'div',
        {},
        h('p', {}, 'The link contains the protocol and the talk, after the #. Browsers do not send that part to any server, but everyone who has the link can read both.'),
        long,
        field,
        h('p', {}, copy),
      ),
    );
    field.select();
  }

  async report(): Promise<void> {
    const { protocol, input, facts } = this.#state;
    try {
      const page = await (await this.#slow()).ask('report', { ...protocol, talk: input });
      download(`${facts?.id ?? 'reading'}.html`, page, 'text/html');
      notice('The report is one page of HTML that needs no network.', false, this.#talkButton());
    } catch (error) {
      notice(`No report: ${error instanceof Error ? error.message : error}`, true);
    }
  }

  /** The talk as the command reads it. */
  #talkButton(): Node {
    const { input } = this.#state;
    const json = typeof input === 'string' ? { content: input } : { segments: input };
    return h(
      'button',
      {
        type: 'button',
        onclick: () => download('talk.json', `${JSON.stringify(json, null, 1)}\n`, 'application/json'),
        title: asText(input).slice(0, 80),
      },
      'The talk as JSON',
    );
  }
}
