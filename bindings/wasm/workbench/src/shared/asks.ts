// What the page asks of the workers, and what they answer.
import type { Evidence, Finding, Reading, StageCardObject } from 'sonometer';

/** A turn of a talk, as the engine reads it. */
export interface TalkTurn {
  readonly role: string;
  readonly content: string;
  readonly timestamp?: number;
}

/** What is measured: a text, or turns. */
export type Talk = string | readonly TalkTurn[];

/** The texts of list files, by path. */
export type Files = Readonly<Record<string, string>>;

export interface Protocol {
  readonly source: string;
  readonly files: Files;
}

export type Effect = 'improves' | 'worsens';

/** A compiled protocol as the page knows it. */
export interface Facts {
  readonly kind: string;
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly better: string;
  readonly language: string;
  readonly meaning: string;
  readonly markers: readonly string[];
  readonly effects: readonly Effect[];
}

/** What compiling came to. Without `facts` the protocol has errors, and the last good one stays in use. */
export interface Compiled {
  readonly facts?: Facts;
  readonly findings: readonly Finding[];
  /** Of an error without findings. */
  readonly message?: string;
  readonly reading?: Sensed;
  /** Milliseconds in the worker. */
  readonly took: number;
}

/** A reading, or why there is none. */
export interface Sensed {
  readonly reading?: Reading;
  readonly message?: string;
}

export interface Test {
  readonly kind: 'hit' | 'miss' | 'dialogue';
  readonly of: string;
  readonly text: string;
  readonly line: number;
  readonly passed: boolean;
  readonly why: readonly string[];
}

export interface Coverage {
  readonly percent: number;
  readonly mutants: number;
  readonly noticed: number;
  readonly unneeded: readonly { readonly what: string; readonly of: string; readonly text: string; readonly line: number }[];
}

export interface Tests {
  readonly tests: readonly Test[];
  readonly coverage?: Coverage;
}

/** What can be typed at a place of a protocol. */
export interface Offered {
  readonly label: string;
  readonly kind: 'required' | 'key' | 'name' | 'value' | 'role' | 'marker' | 'list' | 'class' | 'shipped';
  readonly detail: string;
  /** Markdown. */
  readonly about: string;
  /** What is put in; the label without it. */
  readonly insert?: string;
}

export interface Completions {
  /** Where what is chosen is put, up to the place. */
  readonly from: number;
  readonly items: readonly Offered[];
}

/** What is known about a place of a protocol. */
export interface About {
  readonly from: number;
  readonly to: number;
  /** Markdown. */
  readonly text: string;
}

/** What a code of `check` means. */
export interface Section {
  readonly title: string;
  /** Markdown. */
  readonly meaning: string;
  readonly example: string;
  readonly mended: string;
}

/** A change of a text that mends a finding. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The score after each turn, and how strongly each turn adds evidence. */
export interface Course {
  readonly scores: readonly (number | null)[];
  readonly turns: readonly { readonly role: string; readonly improves: number; readonly worsens: number }[];
  /** By role: how many pieces of evidence it gave. */
  readonly driven: Readonly<Record<string, number>>;
}

/** A chunk that came in, and what could be shown after it. */
export interface Streamed {
  readonly chunk: string;
  /** The number of the turn. */
  readonly segment: number;
  /** What may be shown, by turn. */
  readonly released: readonly string[];
  /** UTF-16 units that came in and are held back. */
  readonly held: number;
  readonly events: readonly string[];
}

export interface Shipped {
  readonly kind: string;
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly status: string;
  readonly description: string;
  readonly source: string;
}

/** Talks that were read from a file. */
export interface Corpus {
  readonly name: string;
  readonly size: number;
  readonly labels: readonly string[];
  readonly roles: readonly string[];
  /** Lines that hold no talk, the first few of them. */
  readonly skipped: readonly string[];
  readonly ids: readonly string[];
  readonly previews: readonly string[];
  /** By label, a value for each talk. */
  readonly values: Readonly<Record<string, readonly (string | number | boolean | null)[]>>;
}

/** Readings of a corpus by columns. */
export interface Measured {
  readonly markers: readonly string[];
  readonly effects: readonly Effect[];
  readonly meaning: string;
  /** NaN where nothing was measured. */
  readonly scores: Float64Array;
  /** Marker × 32 + role (31: nobody) of the evidence of each talk; `from[n]` is where those of talk n begin. */
  readonly found: Uint16Array;
  readonly from: Uint32Array;
  readonly failed: number;
  readonly took: number;
}

export interface Moved {
  readonly before: Reading;
  readonly after: Reading;
  readonly lost: readonly Evidence[];
  readonly gained: readonly Evidence[];
}

export interface StageFacts {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly description: string;
}

export interface DiveState {
  readonly name: string;
  readonly objective: string;
  readonly world: string;
  readonly done: boolean;
  readonly turn: number;
  readonly most: number;
  readonly totals: { readonly turns: number; readonly score: number; readonly on_target: number; readonly ics: number };
  readonly checkpoints: readonly { readonly name: string; readonly reached: boolean }[];
  readonly flags: readonly { readonly name: string; readonly tripped: boolean }[];
  readonly counters: Readonly<Record<string, number | string | boolean>>;
  /** Of the last action. */
  readonly measured?: { readonly score: number; readonly on_target: boolean; readonly fidelity: number; readonly ics: number };
}

export interface CardTold {
  readonly card: StageCardObject;
  readonly json: string;
  /** What was checked, and whether it holds. */
  readonly checks: readonly { readonly what: string; readonly holds: boolean; readonly told: string }[];
}

/** Each ask with what it takes and what it answers. */
export interface Asks {
  start: {
    takes: { readonly module: ArrayBuffer | string | WebAssembly.Module; readonly base: string };
    gives: { readonly fingerprint: string; readonly module: WebAssembly.Module };
  };
  compile: { takes: Protocol & { readonly talk: Talk }; gives: Compiled };
  sense: { takes: { readonly talk: Talk }; gives: Sensed };
  ledger: { takes: { readonly talk: Talk }; gives: readonly (readonly [string, string])[] };
  course: { takes: Protocol & { readonly talk: Talk }; gives: Course };
  tests: { takes: Protocol & { readonly coverage: boolean }; gives: Tests };
  format: { takes: Protocol; gives: string };
  fixes: { takes: Protocol & { readonly finding: Finding }; gives: readonly Edit[] };
  complete: { takes: { readonly source: string; readonly at: number }; gives: Completions };
  explain: { takes: Protocol & { readonly at: number }; gives: About | undefined };
  section: { takes: { readonly code: string }; gives: Section | undefined };
  masked: { takes: Protocol & { readonly talk: Talk; readonly mask: string }; gives: readonly string[] };
  stream: { takes: Protocol & { readonly talk: Talk }; gives: readonly Streamed[] };
  report: { takes: Protocol & { readonly talk: Talk }; gives: string };
  overview: { takes: Protocol; gives: string };
  shipped: { takes: null; gives: readonly Shipped[] };
  fetched: { takes: { readonly name: string }; gives: { readonly source: string; readonly files: Files } };
  stages: { takes: null; gives: readonly StageFacts[] };
  load: { takes: { readonly name: string; readonly text: string }; gives: Corpus };
  read: { takes: { readonly text: string }; gives: Talk };
  talk: { takes: { readonly nth: number }; gives: Talk };
  measure: { takes: Protocol; gives: Measured };
  moved: { takes: { readonly before: Protocol; readonly after: Protocol; readonly talk: Talk | number }; gives: Moved };
  labelled: { takes: null; gives: { readonly name: string; readonly lines: string } };
  evaluate: {
    takes: Protocol & { readonly name: string; readonly lines: string; readonly label: string; readonly threshold: string };
    gives: { readonly figures: unknown; readonly page: string };
  };
  dive: { takes: { readonly stage: string; readonly seed: number; readonly shelf: readonly string[] }; gives: DiveState };
  act: { takes: { readonly action: string }; gives: DiveState };
  close: { takes: null; gives: { readonly card: string; readonly log: string } };
  card: { takes: { readonly card: string; readonly log: string; readonly keys: string }; gives: CardTold };
}

export type Kind = keyof Asks;

/** From the page: an ask with its number. */
export interface Ask<K extends Kind = Kind> {
  readonly number: number;
  readonly kind: K;
  readonly takes: Asks[K]['takes'];
}

/** To the page. */
export type Answer =
  | { readonly number: number; readonly gives: unknown }
  | { readonly number: number; readonly trouble: Trouble }
  | { readonly number: number; readonly progress: number };

/** An error as it crosses to the page. */
export interface Trouble {
  readonly message: string;
  readonly place: string;
  readonly findings: readonly Finding[];
}
