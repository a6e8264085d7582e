// What is opened: files, what ships, links, the files of the command.
import type { Shipped, Talk } from '../shared/asks.js';
import type { Client } from './client.js';
import { closeDialog, dialog, notice } from './dialog.js';
import type { DiskFile } from './disk.js';
import { byId, h } from './dom.js';
import { EMPTY, LATE, LATE_TALK, TALKS } from './examples.js';
import { found, isNamed, listFiles } from './files.js';
import { isParquet, parquet } from './parquet.js';
import type { ProtocolEditor } from './protocol.js';
import { fromFragment } from './share.js';
import type { State } from './state.js';
import { asText, rewritten } from './talk-text.js';
import type { TalkEditor } from './talk.js';

/** The most characters of a description on the shelf. */
const ABOUT = 110;

/** The most roles that a notice names. */
const MOST_ROLES = 4;

/** Who takes what is neither protocol nor talk. */
export interface Takers {
  readonly corpus: (name: string, text: string) => Promise<void>;
  readonly card: (card: string | undefined, log: string | undefined) => void;
  readonly stage: (source: string) => void;
}

export class Opening {
  readonly #state: State;
  readonly #protocol: ProtocolEditor;
  readonly #talk: TalkEditor;
  readonly #slow: () => Promise<Client>;
  readonly #takers: Takers;
  #shipped: readonly Shipped[] | undefined;

  constructor(state: State, protocol: ProtocolEditor, talk: TalkEditor, slow: () => Promise<Client>, takers: Takers) {
    this.#state = state;
    this.#protocol = protocol;
    this.#talk = talk;
    this.#slow = slow;
    this.#takers = takers;
    byId('open').addEventListener('click', () => void this.choose());
    byId('new').addEventListener('click', () => this.#new());
    const input = byId<HTMLInputElement>('file');
    input.addEventListener('change', () => {
      void this.take([...(input.files ?? [])]);
      input.value = '';
    });
    this.#drops();
  }

  /** A link that holds protocol and talk. */
  async fromAddress(): Promise<boolean> {
    try {
      const shared = await fromFragment(location.hash);
      if (shared === undefined) return false;
      this.#state.protocol = { source: '', files: shared.files ?? {} };
      this.#protocol.open(shared.source);
      this.#talk.open(shared.text);
      this.#state.choose(shared.turns);
      return true;
    } catch (error) {
      notice(`The link cannot be read: ${error instanceof Error ? error.message : error}`, true);
      return false;
    }
  }

  /** A file that the command was started with, or that somebody changed on the disk. */
  async fromDisk(file: DiskFile): Promise<void> {
    try {
      const isProtocol = /\.(ya?ml)$/i.test(file.name) || found(file.name, file.text).kind === 'protocol';
      if (isProtocol && this.#state.file === file.name && this.#protocol.view.state.doc.toString() !== file.text) {
        this.#protocol.change(file.text);
        notice(`${file.name} was changed on the disk, and is read again.`);
        return;
      }
      await this.#takeText(file.name, file.text);
      if (isProtocol) this.#state.file = file.name;
    } catch (error) {
      cannotRead(file.name, error);
    }
  }

  async take(files: readonly File[]): Promise<void> {
    // Protocols first, so that list files find what names them.
    const order = (file: File) => (/\.(ya?ml)$/i.test(file.name) ? 0 : 1);
    for (const file of [...files].sort((a, b) => order(a) - order(b))) {
      try {
        const { name, text } = isParquet(file.name) ? await parquet(file) : { name: file.name, text: await file.text() };
        await this.#takeText(name, text);
      } catch (error) {
        cannotRead(file.name, error);
      }
    }
  }

  async #takeText(name: string, text: string): Promise<void> {
    const path = listFiles(this.#state.protocol.source).find((own) => isNamed(own, name));
    if (path !== undefined) {
      this.#state.setSource(this.#state.protocol.source, { ...this.#state.protocol.files, [path]: text });
      notice(`${name} is the list ${path} of the protocol.`);
      return;
    }
    const what = found(name, text);
    if (what.kind === 'protocol') this.#openProtocol(what.text);
    else if (what.kind === 'stage') this.#takers.stage(what.text);
    else if (what.kind === 'talk') this.openTalk(await (await this.#slow()).ask('read', { text: what.text }));
    else if (what.kind === 'corpus') await this.#takers.corpus(name, what.text);
    else if (what.kind === 'card') this.#takers.card(what.text, undefined);
    else if (what.kind === 'log') this.#takers.card(undefined, what.text);
    else this.#talk.open(what.text);
  }

  openTalk(talk: Talk): void {
    this.#talk.open(asText(talk));
    this.#state.choose(typeof talk !== 'string');
    const roles = rewritten(talk).map(([role, written]) => `${role} as ${written}`);
    const told = roles.length > MOST_ROLES ? [...roles.slice(0, MOST_ROLES), `${roles.length - MOST_ROLES} more`] : roles;
    if (roles.length > 0) notice(`Roles that cannot be typed before a colon are written in another way: ${told.join(', ')}.`);
  }

  #openProtocol(source: string, files: Readonly<Record<string, string>> = {}): void {
    this.#state.file = undefined;
    this.#state.protocol = { source: '', files };
    this.#protocol.open(source);
    const missing = listFiles(source).filter((path) => files[path] === undefined);
    if (missing.length > 0) notice(`The protocol names list files: drop ${missing.join(', ')} here too.`);
    else notice('');
  }

  #new(): void {
    this.#openProtocol(EMPTY);
    this.#talk.open('Thank you for the quick answer, it works again.');
    this.#protocol.goTo(2);
  }

  #drops(): void {
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    document.addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) document.body.classList.remove('dropping');
    });
    // Before the editors, which would take the text of a file in.
    document.addEventListener(
      'drop',
      (event) => {
        document.body.classList.remove('dropping');
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length === 0) return;
        event.preventDefault();
        event.stopPropagation();
        void this.take(files);
      },
      true,
    );
  }

  /** Files, examples, and everything that ships. */
  async choose(): Promise<void> {
    const list = h('div', {}, h('p', { class: 'dim' }, 'Reading what ships…'));
    const example = h(
      'li',
      {},
      h(
        'button',
        {
          type: 'button',
          onclick: () => {
            closeDialog();
            this.#openProtocol(LATE);
            this.#talk.open(LATE_TALK);
          },
        },
        'Late order',
        h('small', {}, 'A small protocol with tests and a talk'),
      ),
    );
    dialog(
      'Open',
      h(
        'div',
        {},
        h(
          'p',
          {},
          h(
            'button',
            {
              type: 'button',
              class: 'main',
              onclick: () => {
                closeDialog();
                byId('file').click();
              },
            },
            'Files from this machine…',
          ),
          ' or drop them anywhere on the page.',
        ),
        h('h3', {}, 'Example'),
        h('ul', { class: 'shelf' }, example),
        list,
      ),
    );
    this.#shipped ??= await (await this.#slow()).ask('shipped', null);
    const kinds = [...new Set(this.#shipped.map(({ kind }) => kind))];
    const all = [...this.#shipped].sort((a, b) => a.name.toLowerCase().localeCompare(b.name.toLowerCase()) || a.id.localeCompare(b.id) || b.version.localeCompare(a.version, undefined, { numeric: true }));
    const isNewest = (own: Shipped) => all.find(({ id, kind }) => id === own.id && kind === own.kind) === own;
    const shelf = (some: readonly Shipped[]) =>
      h(
        'ul',
        { class: 'shelf' },
        some.map((own) => h('li', {}, this.#shelfButton(own))),
      );
    list.replaceChildren(
      ...kinds.flatMap((kind) => {
        const own = all.filter((one) => one.kind === kind);
        const old = own.filter((one) => !isNewest(one));
        return [
          h('h3', {}, { protocol: 'Protocols that ship', metric: 'Metrics', blueprint: 'Blueprints' }[kind] ?? kind),
          shelf(own.filter(isNewest)),
          ...(old.length === 0 ? [] : [h('details', {}, h('summary', {}, 'Older versions'), shelf(old))]),
        ];
      }),
    );
  }

  #shelfButton(own: Shipped): HTMLElement {
    const [sentence = ''] = own.description.split(/(?<=[.!?])\s/);
    const first = sentence.length > ABOUT ? `${sentence.slice(0, ABOUT - 1)}…` : sentence;
    return h(
      'button',
      { type: 'button', onclick: () => void this.openShipped(own) },
      `${own.name} `,
      h('small', {}, `${own.id}@${own.version}`),
      first === '' ? null : h('small', {}, first),
    );
  }

  async openShipped(own: Shipped): Promise<void> {
    closeDialog();
    try {
      const { source, files } =
        own.source === '' ? await (await this.#slow()).ask('fetched', { name: `${own.id}@${own.version}` }) : { source: own.source, files: {} };
      this.#openProtocol(source, files);
      const talk = TALKS[own.id];
      if (talk !== undefined) this.#talk.open(talk);
    } catch (error) {
      cannotRead(own.id, error);
    }
  }
}

function cannotRead(name: string, error: unknown): void {
  notice(`${name} cannot be read: ${error instanceof Error ? error.message : error}`, true);
}
