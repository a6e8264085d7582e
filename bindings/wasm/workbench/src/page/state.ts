// What the page is about, and who hears of its changes.
import type { Finding, Reading } from 'sonometer';
import type { Facts, Files, Protocol, Talk, Tests } from '../shared/asks.js';
import { Tones } from './tones.js';
import { looksLikeTurns, typed, type TypedTalk } from './talk-text.js';

/** What can change. */
export type Topic = 'protocol' | 'talk' | 'facts' | 'reading' | 'tests' | 'findings' | 'baseline' | 'corpus' | 'theme';

type Hear = () => void;

export class State {
  protocol: Protocol = { source: '', files: {} };
  /** The file on the disk that the protocol is saved to; nothing for what came from elsewhere. */
  file: string | undefined;
  /** What was typed on the right. */
  text = '';
  asTurns = false;
  /** Whether somebody chose the form; until then it is seen from the text. */
  isChosen = false;
  talk: TypedTalk = { talk: '', turns: [] };
  facts: Facts | undefined;
  tones = new Tones(undefined);
  findings: readonly Finding[] = [];
  /** Of an error that has no place. */
  message = '';
  reading: Reading | undefined;
  /** Why there is no reading. */
  unread = '';
  tests: Tests | undefined;
  /** Whether the text has errors, so that reading and tests are those of the last version without any. */
  isBroken = false;
  /** The version that the current one is compared with. */
  baseline: { readonly name: string; readonly protocol: Protocol } | undefined;

  readonly #hear = new Map<Topic, Hear[]>();

  on(topics: readonly Topic[], hear: Hear): void {
    for (const topic of topics) this.#hear.set(topic, [...(this.#hear.get(topic) ?? []), hear]);
  }

  tell(...topics: readonly Topic[]): void {
    new Set(topics.flatMap((topic) => this.#hear.get(topic) ?? [])).forEach((hear) => hear());
  }

  setSource(source: string, files?: Files): void {
    this.protocol = { source, files: files ?? this.protocol.files };
    this.tell('protocol');
  }

  setText(text: string, asTurns = this.isChosen ? this.asTurns : looksLikeTurns(text)): void {
    this.text = text;
    this.asTurns = asTurns;
    this.talk = typed(text, asTurns);
    this.tell('talk');
  }

  /** The form that somebody chose, or that what was opened has. */
  choose(asTurns: boolean): void {
    this.isChosen = true;
    this.setText(this.text, asTurns);
  }

  setFacts(facts: Facts): void {
    const isNew =
      JSON.stringify(facts.markers) !== JSON.stringify(this.facts?.markers) || JSON.stringify(facts.effects) !== JSON.stringify(this.facts?.effects);
    this.facts = facts;
    if (isNew) this.tones = new Tones(facts);
    this.tell('facts');
  }

  get input(): Talk {
    return this.talk.talk;
  }
}
