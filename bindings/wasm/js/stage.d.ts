/// <reference lib="esnext.disposable" />
import type { Finding, Kind } from './readings.js';

/** A document by name and content. */
export interface Stamp {
  readonly id: string;
  readonly version: string;
  /** `sha256:` and hexadecimal digits. */
  readonly digest: string;
}

/** What senses every action, and each protocol in it. */
export interface StageTarget extends Stamp {
  readonly type: Kind;
  readonly protocols: readonly Stamp[];
}

/** The bounds of a dive. */
export interface Envelope {
  /** Whom a service lets in; here everybody dives. */
  readonly access_mode: 'free' | 'entitled' | 'invite' | 'session';
  /** Whether cards show the reading of every action. */
  readonly share_scorecard: boolean;
  /** The most actions. */
  readonly max_turns: number;
  /** The ICS after which the world ends. */
  readonly ics_budget: number;
  /** The most code points of an action. */
  readonly max_action_chars: number;
}

export interface StageOptions {
  /** Protocols, metrics and blueprints that the stage may name; behind them stands what ships. */
  readonly shelf?: readonly (string | object)[] | undefined;
}

/** A world that answers what an agent says, made ready with what senses it. Make it once and dive as often as needed. */
export class Stage implements Disposable {
  private constructor();

  /**
   * What ships, by `id` or `id@version`; see `stages`.
   * @throws {SonometerError} `target_not_found`
   */
  static shipped(name: string, options?: StageOptions): Stage;
  /**
   * From the source of a stage: YAML or JSON text, or an object.
   * @throws {SonometerError} `invalid_protocol` with `details.findings`; `target_not_found` for what it names
   */
  static fromSource(source: string | object, options?: StageOptions): Stage;
  /** @deprecated Write `Stage.fromSource`. */
  static from(source: string | object, options?: StageOptions): Stage;

  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly version: string;
  readonly status: 'draft' | 'published' | 'active' | 'archived';
  /** For people. */
  readonly description: string;
  /** The goal that the agent is given. */
  readonly objective: string;
  /** How agents are judged, as far as they may know. */
  readonly rules: { readonly checkpoints: readonly string[]; readonly flags: readonly string[]; readonly max_turns: number };
  readonly envelope: Envelope;
  /** As whom the two sides are sensed. */
  readonly roles: { readonly agent: string; readonly world: string };
  /** What senses every action. */
  readonly target: StageTarget;
  /** The identity of this version: `sha256:` and the hexadecimal SHA-256 of `json()`. */
  readonly digest: string;
  /** The file, as its author wrote it. */
  readonly source: string;
  /** What its author should look at. */
  readonly warnings: readonly Finding[];
  /** The canonical JSON of the stage, defaults included. */
  json(): string;

  /**
   * Opens a dive. The same stage, seed and actions give the same bytes.
   * @param seed A whole number from 0 to 2^53 - 1, as a number or a bigint; 0 by default.
   * @throws {SonometerError} `invalid_request` with the place `seed` for any other number
   */
  open(seed?: number | bigint): Dive;
  /**
   * Goes on with a dive that `dive.save()` gave.
   * @throws {SonometerError} `card_mismatch` if it was changed, or started in another stage or with another engine
   */
  resume(text: string): Dive;

  /** Gives its memory back now; using the stage afterwards is an error, dives in it go on. Otherwise that happens with garbage collection. */
  free(): void;
  [Symbol.dispose](): void;
}

/** What the world shows, frozen. */
export class Observation {
  private constructor();
  /** The canonical JSON. */
  json(): string;
  /** How many actions there were. */
  readonly turn: number;
  /** What the world says. */
  readonly world: string;
  /** Whether it has ended. */
  readonly done: boolean;
}

/** The reading of one action, as on the card. */
export interface Measured {
  /** 0 to 1; 0 if the action is insufficient. */
  readonly score: number;
  readonly on_target: boolean;
  /** 0 to 1. */
  readonly fidelity: number;
  readonly ics: number;
}

/** The sums of a dive. */
export interface Totals {
  readonly turns: number;
  /** The mean of the scores; 0 if there were none. */
  readonly score: number;
  /** The share of actions that were on target; 0 if there were none. */
  readonly on_target: number;
  readonly ics: number;
}

/** What an action came to, frozen. */
export class DiveStep {
  private constructor();
  /** The canonical JSON of what the service answers to an action. Where the stage does not share readings it has none. */
  json(): string;
  readonly observation: Observation;
  readonly measured: Measured;
  /** The checkpoints that this action reached, in the order of the stage. */
  readonly checkpoints: readonly string[];
  /** The flags that this action tripped, in the order of the stage. */
  readonly flags: readonly string[];
  /** The dive so far. */
  readonly totals: Totals;
}

export interface Closing {
  /** The id under which the dive is known. */
  readonly diveId: string;
  /** A tag of one's own for the agent. */
  readonly agent?: { readonly id: string; readonly version?: string | undefined } | undefined;
  /** A closing note. */
  readonly summary?: string | undefined;
}

/** One run through a stage. */
export class Dive implements Disposable {
  private constructor();
  readonly seed: number;
  /** What the world has shown last. */
  readonly observation: Observation;
  /** How many actions there were. */
  readonly turn: number;
  /** Whether the world has ended. */
  readonly done: boolean;
  /** The sums so far. */
  readonly totals: Totals;
  /** The head of the hash chain over actions and readings, as hexadecimal digits. */
  readonly chain: string;
  /** A line of JSON for each action, with which a card can be computed again. */
  readonly log: readonly string[];

  /**
   * Takes one action.
   * @throws {SonometerError} `dive_closed` if the world has ended, `action_too_long`; the dive is as it was
   */
  act(action: string): DiveStep;
  /** The whole dive as text, for `stage.resume`. It holds every text of the dive; it is no business of the agent. */
  save(): string;
  /** The card of the dive, for practice. The same dive and the same closing give the same bytes, as often as it is asked for. */
  close(closing: Closing): StageCard;

  /** Gives its memory back now; using the dive afterwards is an error. Otherwise that happens with garbage collection. */
  free(): void;
  [Symbol.dispose](): void;
}

/** The members of a card. */
export interface StageCardObject {
  agent?: { id: string; version?: string };
  /** Where attempts are counted. */
  attempt?: { graded_so_far: number; number: number; record: 'first' | 'best' | 'last' | 'mean' };
  /** What sensed every action. */
  blueprint: StageTarget;
  /** The head of the hash chain: `sha256:` and hexadecimal digits. */
  chain: string;
  dive_id: string;
  /** `fingerprint()` of the engine. */
  engine: string;
  envelope: Envelope;
  mode: 'practice' | 'graded';
  /** Of every action, where the stage shares them. */
  readings?: Measured[];
  seed: number;
  seed_source: 'server' | 'caller';
  /** `ed25519:{key id}:{base64url}` */
  signature?: string;
  sonometer_stagecard: 1;
  stage: Stamp;
  stage_id: string;
  status: 'closed';
  summary?: string;
  totals: Totals;
  verdict: {
    passed: boolean;
    reason: 'passed' | 'checkpoint_missing' | 'flag_tripped' | 'max_turns' | 'ics_budget' | 'closed_early';
    checkpoints_hit: string[];
    flags_tripped: string[];
  };
}

type Frozen<T> = { readonly [K in keyof T]: T[K] extends object ? Frozen<T[K]> : T[K] };

export interface StageCard extends Frozen<StageCardObject> {}

/** The card of a dive, frozen. The members are those of the interface, with its names. */
export class StageCard {
  private constructor();
  /**
   * Reads the text of a card strictly: every key, the one way to write it, sums that add up.
   * @throws {SonometerError} `card_mismatch` with the place of what is wrong, such as `totals.score`
   */
  static read(text: string): StageCard;
  /** The canonical JSON: the same bytes as from every other door of Sonometer. Keep and hand on this. */
  json(): string;
  /** The same as an object of one's own. */
  toObject(): StageCardObject;
  /** What is signed: the canonical JSON without `signature`. */
  signedJson(): string;
  /** The same card with a signature that was made elsewhere. It is not checked; `verifyCard` does that. */
  withSignature(signature: string): StageCard;
  /**
   * Computes the card again from the log of its actions and compares every byte: that shows the grade, where a signature
   * says who vouches for it.
   * @param log `dive.log`, or its lines as one text.
   * @param stage Its stage; by default what ships under the name that the card tells.
   * @throws {SonometerError} `card_mismatch` with the first step or key that differs; `target_not_found`
   */
  replay(log: string | readonly string[], stage?: Stage): void;
}

/**
 * Keys: 64 hexadecimal digits, one key a line, as `sonometer dive keygen` writes them; or 32 bytes; or a list of these; or the
 * JSON that a service answers to `GET /api/v1/keys`.
 */
export type PublicKeys = string | Uint8Array | readonly (string | Uint8Array)[];

/**
 * Reads a card and checks its signature (Ed25519, by WebCrypto) against the keys that may have signed it.
 * @throws {SonometerError} (rejects) `card_mismatch` with the place; `invalid_key` with the line; `not_supported` where WebCrypto has no Ed25519
 */
export function verifyCard(card: StageCard | string, keys: PublicKeys): Promise<StageCard>;

/**
 * Signs a card. The same card and key give the same bytes; a signature that is there is replaced.
 * @param secretKey 64 hexadecimal digits or 32 bytes, which must come from a source of randomness that is meant for keys.
 * @throws {SonometerError} (rejects) `card_mismatch`, `invalid_key`, `not_supported`
 */
export function signCard(card: StageCard | string, secretKey: string | Uint8Array): Promise<StageCard>;

/**
 * The actions of a log, which is read strictly.
 * @throws {SonometerError} `card_mismatch` with the line
 */
export function readLog(log: string | readonly string[]): string[];
