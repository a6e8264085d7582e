// What is selected in the talk becomes a test.
import { notice } from './dialog.js';
import { byId, fill, h } from './dom.js';
import { withDialogue, withLine } from './insert.js';
import type { ProtocolEditor } from './protocol.js';
import type { State } from './state.js';
import type { TalkEditor } from './talk.js';

export class Adding {
  readonly #state: State;
  readonly #protocol: ProtocolEditor;
  readonly #talk: TalkEditor;
  readonly #select = byId<HTMLSelectElement>('add-marker');

  constructor(state: State, protocol: ProtocolEditor, talk: TalkEditor) {
    this.#state = state;
    this.#protocol = protocol;
    this.#talk = talk;
    byId('add-hit').addEventListener('click', () => this.line('hit'));
    byId('add-miss').addEventListener('click', () => this.line('miss'));
    byId('add-dialogue').addEventListener('click', () => this.dialogue());
  }

  /** The markers that there are now. */
  show(): void {
    const { facts } = this.#state;
    const chosen = this.#select.value;
    const markers = facts?.kind === 'protocol' ? facts.markers : [];
    fill(
      this.#select,
      markers.map((marker) => h('option', { value: marker }, marker)),
    );
    if (markers.includes(chosen)) this.#select.value = chosen;
    for (const id of ['add-marker', 'add-hit', 'add-miss', 'add-dialogue']) byId<HTMLButtonElement>(id).disabled = markers.length === 0;
  }

  /** The selected words, or the line of the cursor; with the role of its turn where the protocol names it. */
  #selected(): string {
    const { state } = this.#talk.view;
    const { from, to, empty, head } = state.selection.main;
    const line = state.doc.lineAt(empty ? head : from);
    const turn = this.#state.talk.turns.findLast((own) => own.at <= (empty ? line.from : from));
    const begin = empty ? line.from : from;
    // The role of a turn is no part of what was said.
    const start = turn !== undefined && turn.at === line.from ? Math.max(begin, turn.from) : begin;
    const text = state
      .sliceDoc(start, empty ? line.to : to)
      .replace(/\s+/g, ' ')
      .trim();
    if (text === '' || turn === undefined) return text;
    const isNamed = new RegExp(`\\b${turn.role.replace(/[^\w ]/g, '.')}\\b`).test(
      this.#state.protocol.source.split(/^\s*(?:hit|miss|talk):/m)[0] ?? '',
    );
    return isNamed ? `${turn.role}: ${text}` : text;
  }

  line(kind: 'hit' | 'miss'): void {
    const text = this.#selected();
    const marker = this.#select.value;
    if (text === '') {
      notice('Select words in the talk, or put the cursor on a line of it.', true);
      return;
    }
    const source = withLine(this.#state.protocol.source, marker, kind, text);
    if (source === undefined) {
      const isBroken = this.#state.findings.some(({ severity }) => severity === 'error');
      notice(
        isBroken ? 'Correct the errors in the protocol first; until then its markers are not known.' : `There is no marker “${marker}” to add this to.`,
        true,
      );
      return;
    }
    this.#protocol.change(source);
    notice(`Added to ${kind} of ${marker}: ${text}`);
  }

  dialogue(): void {
    const { reading, talk, text, facts, protocol } = this.#state;
    if (reading === undefined || facts?.kind !== 'protocol' || text.trim() === '') {
      notice('Write a talk first: the new test expects what is found in it now.', true);
      return;
    }
    const fires = [...(reading.ics.markers ?? [])];
    const silent = facts.markers.filter((marker) => !fires.includes(marker) && (reading.resonance[marker] ?? 0) === 0);
    const lines =
      talk.turns.length === 0 ? text.split('\n').filter((line) => line.trim() !== '') : talk.turns.map((turn) => `${turn.role}: ${turn.content}`);
    const number = (protocol.source.match(/^\s*- name:/gm)?.length ?? 0) + 1;
    this.#protocol.change(withDialogue(protocol.source, `dialogue ${number}`, lines, fires, silent));
    notice(`Added as “dialogue ${number}”, which expects what is found now: ${fires.length === 0 ? 'nothing' : fires.join(', ')}.`);
  }
}
