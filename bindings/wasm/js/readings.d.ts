import type { Shown } from './sensor.js';
import type { SonometerError } from './errors.js';

/** The kind of a sensor: `protocol`, `metric` or `blueprint`. */
export type Kind = 'protocol' | 'metric' | 'blueprint';

/** What an interaction is made of. */
export type Modality = 'text' | 'transcript' | 'audio' | 'document';

/** How much a reading shows: scores and evidence; with the segment around each piece; with what nearly counted. */
export type Profile = 'raw' | 'detailed' | 'discovery';

/** What offsets count. `utf16`: `text.slice(start, end)` is the evidence. */
export type OffsetUnit = 'utf16' | 'chars' | 'bytes';

/** The option `offsets`: a unit, or `false` for readings without places. Types of results follow it. */
export type Offsets = OffsetUnit | false;

/** One turn of a conversation. */
export interface Turn {
  readonly role: string;
  readonly content: string;
  /** Seconds from any origin; `null` as if it were left out. */
  readonly timestamp?: number | null | undefined;
}

/** A part of the content of a chat message. Text is in parts of the types `text`, `input_text`, `output_text`, `refusal`. */
export interface ChatPart {
  readonly type: string;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly annotations?: unknown;
  readonly cache_control?: unknown;
  readonly citations?: unknown;
  readonly content?: unknown;
  readonly data?: unknown;
  readonly file?: unknown;
  readonly file_id?: unknown;
  readonly id?: unknown;
  readonly image_url?: unknown;
  readonly input?: unknown;
  readonly input_audio?: unknown;
  readonly name?: unknown;
  readonly signature?: unknown;
  readonly source?: unknown;
  readonly thinking?: unknown;
  readonly tool_use_id?: unknown;
}

/**
 * A message of a chat interface, in OpenAI's or Anthropic's form. Texts and refusals are what its role says; calls of tools and
 * their results, thoughts, images, sound and files are skipped. A message with nothing else, or of the role `tool` or
 * `function`, is no turn.
 */
export interface ChatMessage {
  readonly role: string;
  /** `null` of assistants only, or beside a call or a refusal. */
  readonly content?: string | readonly ChatPart[] | null | undefined;
  /** Seconds from any origin; `null` as if it were left out. */
  readonly timestamp?: number | null | undefined;
  readonly refusal?: string | null | undefined;
  readonly audio?: unknown;
  readonly function_call?: unknown;
  readonly id?: unknown;
  readonly model?: unknown;
  readonly name?: unknown;
  readonly tool_call_id?: unknown;
  readonly tool_calls?: unknown;
  readonly type?: unknown;
}

/** What stands between messages in OpenAI's form of responses, such as `function_call`. Nobody says anything in it. */
export interface ChatItem {
  readonly type: string;
  readonly arguments?: unknown;
  readonly call_id?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly output?: unknown;
  readonly summary?: unknown;
}

/** A message that the provider keeps, by its id, in OpenAI's form of responses. It says nothing here. Give its `type`: without it, it is refused. */
export interface ChatReference {
  readonly id: string;
  readonly type?: 'item_reference' | null | undefined;
}

interface Described {
  /** By which comparisons call it. */
  readonly label?: string | undefined;
  readonly id?: string | undefined;
  readonly language?: string | undefined;
}

export interface TextInteraction extends Described {
  readonly type?: 'text' | undefined;
  readonly content: string;
}

export interface TranscriptInteraction extends Described {
  readonly type?: 'transcript' | undefined;
  readonly segments: readonly Turn[];
}

/** An interaction from JSON text, read by the engine's own strict reader. */
export class Interaction {
  private constructor();
  /** @throws {SonometerError} `invalid_request` with the place of the first thing that is wrong. */
  static parse(json: string): Interaction;
  /** The JSON text, unchanged. */
  json(): string;
}

/** What can be measured: a text, the turns of a conversation or the messages of a chat, or an object of the interface. */
export type InteractionInput = string | readonly (Turn | ChatMessage | ChatItem | ChatReference)[] | TextInteraction | TranscriptInteraction | Interaction;

export interface SenseOptions<O extends Offsets = Offsets> {
  /** `raw` by default. */
  readonly profile?: Profile | undefined;
  /** `utf16` by default; `false` leaves places out. */
  readonly offsets?: O | undefined;
  /** Adds `actant_flow`, for protocols on SGM 1.5; `primary` is the role that is the primary side. */
  readonly flow?: boolean | { readonly primary?: string | undefined } | undefined;
  /** Adds `temporal`, for protocols on SGM 1.5; `window` is the length of a window in seconds. */
  readonly temporal?: boolean | { readonly window?: number | undefined } | undefined;
  /** The price of one ICS in US dollars; 0 by default. */
  readonly usdPerIcs?: number | undefined;
  /**
   * How masked places are shown, in the place of what the target says: `stars`, `first1` to `first8`, `last1` to `last8`, `label`,
   * `numbered`, `keyed` (with `maskKey`) or `remove`.
   */
  readonly mask?: string | undefined;
  /** The key of `keyed` masks, 16 bytes or more; it is shown nowhere. */
  readonly maskKey?: Uint8Array | undefined;
}

/** What was sensed. */
export interface Target {
  readonly type: Kind;
  readonly id: string;
  readonly version: string;
}

/** A stretch of one segment. */
export interface Stretch {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
}

/** Where a match stands. */
interface Location {
  /** The segment it is in, from 0; only for transcripts. Messages without text are not counted. */
  readonly segment?: number;
  /** Its place in the text. */
  readonly start: number;
  readonly end: number;
  /** Where it goes on in later segments. */
  readonly joined?: readonly Stretch[];
}

/** The location of a match, as the option `offsets` asks for it: there, not there, or perhaps there if only running the code shows which. */
type Located<O extends Offsets> = [O] extends [OffsetUnit] ? Location : [O] extends [false] ? {} : Partial<Location>;

/** A match. */
interface Match {
  readonly metamarker: string;
  /** The matched text, masked where the protocol says so. */
  readonly source: string;
  /** Who said it (SGM 1.5). */
  readonly actant?: string;
}

/** What triggered a metamarker. */
export type Evidence<O extends Offsets = OffsetUnit> = Match &
  Located<O> & {
    /** What it adds to its marker, above 0, at most 1. */
    readonly score: number;
    /** With the profile `detailed`. */
    readonly reconstruction?: { readonly segment_text: string; readonly attribution: string; readonly actant: string };
  };

/** What counts against a metamarker. */
export type Against<O extends Offsets = OffsetUnit> = Match &
  Located<O> & {
    /** What it takes away, below 0. */
    readonly weight: number;
  };

/** Something that a metamarker which did not trigger has found, or nearly found; without `source` and place where no match is behind it. */
export type WeakSignal<O extends Offsets = OffsetUnit> = Partial<Match & Located<O>> & {
  readonly metamarker: string;
  /** How near it came, 0 to 0.99. */
  readonly proximity: number;
  /** What was missing, for people. */
  readonly hint: string;
  /** What the match adds to its marker, or would have added. */
  readonly score?: number;
};

export interface Signal {
  readonly spread: number;
  readonly coherence: number;
  readonly dominant_mode: string | null;
}

export interface ActantFlow {
  readonly primary_driven: readonly string[];
  readonly secondary_driven: readonly string[];
  readonly direction: 'primary_to_secondary' | 'secondary_to_primary' | 'mutual' | 'none';
  readonly balance: number;
}

export interface Temporal {
  readonly trend: 'rising' | 'falling' | 'volatile' | 'stable' | 'insufficient';
  readonly phase_shifts: number;
}

/**
 * The result of sensing, frozen. The members are those of the interface, with its names. A `Reading` has places; with
 * `offsets: false` it is a `Reading<false>`, which has none.
 */
export class Reading<out O extends Offsets = OffsetUnit> {
  private constructor();
  /**
   * The canonical JSON: the same bytes as from every other door of Sonometer. Keep and compare this, not
   * `JSON.stringify(reading)`, in which markers called like numbers (`"42"`) change their order.
   */
  json(): string;
  /**
   * The turns of the interaction that this is a reading of, as they may be shown: `sensor.shown` with the masks of this reading.
   * @throws {SonometerError} `invalid_request` if the sensor was freed, or is in a worker
   */
  shown(interaction: InteractionInput): readonly Shown[];
  readonly target: Target;
  readonly profile?: 'detailed' | 'discovery';
  /** 0 to 1; null where `fidelity.sufficient` is false, for then nothing was measured. */
  readonly score: number | null;
  /** Every marker's activation, 0 to 1, in the order of the protocol. */
  readonly resonance: Readonly<Record<string, number>>;
  /** What triggered metamarkers, in the order of the text. */
  readonly evidence: readonly Evidence<O>[];
  /** With the profiles `detailed` and `discovery`; in the order of the text. */
  readonly against?: readonly Against<O>[];
  /** With the profile `discovery`; the nearest first. */
  readonly weak_signals?: readonly WeakSignal<O>[];
  readonly fidelity: {
    readonly index: number;
    readonly sufficient: boolean;
    /** SGM 1.5. */
    readonly density?: number;
    readonly clarity?: number;
    /** The roles that metamarkers ask for, if no segment has one of them, and those of the segments. */
    readonly roles_asked?: readonly string[];
    readonly roles_seen?: readonly string[];
  };
  /** With the profile `discovery`: metamarkers that need roles that no segment has, with these roles. */
  readonly unheard?: readonly { readonly metamarker: string; readonly roles: readonly string[] }[];
  /** SGM 1.5. */
  readonly signal?: Signal;
  /** SGM 1.5, where it is asked for. */
  readonly actant_flow?: ActantFlow;
  readonly temporal?: Temporal;
  /** Of metrics, with profiles other than `raw`. */
  readonly components?: readonly {
    readonly protocol_id: string;
    readonly version: string;
    readonly weight: number;
    readonly score: number | null;
    readonly fidelity: { readonly index: number; readonly sufficient: boolean };
  }[];
  /** Of blueprints. */
  readonly protocols?: readonly { readonly id: string; readonly version: string; readonly score: number | null }[];
  readonly metrics?: readonly { readonly id: string; readonly version: string; readonly score: number | null }[];
  readonly ics: {
    /** How many metamarkers triggered. */
    readonly consumed: number;
    readonly cost_usd: number;
    readonly sgm_version: string;
    /** Which; with the profiles `detailed` and `discovery`. */
    readonly markers?: readonly string[];
  };
}

export interface Side {
  readonly label: string;
  readonly score: number;
  readonly resonance: Readonly<Record<string, number>>;
  readonly metamarkers_triggered: number;
}

/** Two interactions measured by the same sensor, frozen. */
export class Comparison {
  private constructor();
  /** The canonical JSON. */
  json(): string;
  readonly target: Target;
  readonly interaction_a: Side;
  readonly interaction_b: Side;
  /** From a to b. */
  readonly delta: {
    readonly score_change: number;
    readonly direction: 'improvement' | 'decline' | 'unchanged';
    readonly resonance_shifts: Readonly<Record<string, { readonly a: number; readonly b: number; readonly change: number }>>;
    readonly metamarker_change: number;
  };
  readonly ics: { readonly consumed: number; readonly cost_usd: number };
}

export interface Range {
  readonly min: number;
  readonly max: number;
  readonly typical: number;
}

/** What sensing is expected to cost, frozen. */
export class Estimate {
  private constructor();
  /** The canonical JSON, without `measured`. */
  json(): string;
  readonly estimated_ics: Range;
  readonly estimated_cost_usd: Range;
  /** Whether `typical` was measured on texts; if not, it is the most. */
  readonly measured: boolean;
}

/** Whether an interaction holds enough to be measured. */
export interface Fidelity {
  /** Density times clarity, 0 to 1. */
  readonly index: number;
  readonly sufficient: boolean;
  readonly density: number;
  readonly clarity: number;
  /** The roles that metamarkers ask for, if no segment has one of them, and those of the segments. */
  readonly roles_asked?: readonly string[];
  readonly roles_seen?: readonly string[];
}

/** The outcome of one interaction of many. */
export type Outcome<O extends Offsets = OffsetUnit> =
  | { readonly reading: Reading<O>; readonly error?: undefined }
  | { readonly reading?: undefined; readonly error: SonometerError };

/** What the author of a protocol should look at. */
export interface Finding {
  /** Never reused, such as `SM0101`. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly fix: string;
  /** From 1; `column` in code points. */
  readonly line: number;
  readonly column: number;
  /** UTF-16 places in the source. */
  readonly start: number;
  readonly end: number;
}
