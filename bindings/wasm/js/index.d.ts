/// <reference lib="esnext.disposable" />

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
export type InteractionInput = string | readonly (Turn | ChatMessage | ChatItem)[] | TextInteraction | TranscriptInteraction | Interaction;

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

export interface SourceOptions {
  /** The texts of the list files that a protocol names (`list_files`), by their paths. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** Protocols and metrics that a metric or blueprint may name, beside what ships. */
  readonly shelf?: readonly (string | object)[] | undefined;
  /** Whether what ships may be named too; `true` by default. */
  readonly shipped?: boolean | undefined;
}

/** What `shown` is asked: how masked places are shown, as in `SenseOptions`. */
export type ShownOptions = Pick<SenseOptions, 'mask' | 'maskKey'>;

/** One turn as it may be shown, or the whole of a text. */
export interface Shown {
  /** Who says it; `undefined` for a text. */
  readonly role: string | undefined;
  /** Masked. */
  readonly text: string;
  /** What stands where in the text as it came in: UTF-16 places there, and what is shown instead; in order, without overlaps. */
  readonly masks: readonly { readonly start: number; readonly end: number; readonly shown: string }[];
}

/** A compiled protocol, metric or blueprint. Make it once and use it for many interactions. */
export class Sensor implements Disposable {
  private constructor();

  /**
   * What ships in the module, by `id` (the newest published version) or `id@version`; see `catalog`. In Node also what ships as a file in the
   * folder `protocols` of the package.
   * @throws {SonometerError} `target_not_found`; in browsers `invalid_request` for a file of the package, which `load` reads
   */
  static shipped(name: string): Sensor;
  /**
   * What ships, in the module or as a file in the folder `protocols` of the package, by `id` or `id@version`. In browsers the file is
   * fetched from beside the script.
   * @throws {SonometerError} `target_not_found`; `invalid_request` if the file cannot be read
   */
  static load(name: string): Promise<Sensor>;
  /**
   * From the source of a protocol, metric or blueprint: YAML or JSON text, or an object.
   * @throws {SonometerError} `invalid_protocol` with `details.findings`; `target_not_found` for what it names
   */
  static fromSource(source: string | object, options?: SourceOptions): Sensor;
  /** @deprecated Write `Sensor.fromSource`. */
  static from(source: string | object, options?: SourceOptions): Sensor;

  readonly kind: Kind;
  readonly id: string;
  readonly version: string;
  /** For people. */
  readonly name: string;
  /** Which scores are the good ones. */
  readonly better: 'higher' | 'lower';
  /** The meaning of scores 0 and 1 and which is better, in one line. */
  readonly scoreMeaning: string;
  /** The language of its patterns, if they have one. */
  readonly language: string | undefined;
  /** The keys of its markers in readings, in order. */
  readonly markers: readonly string[];
  /** Whether finding a marker is good news, by its key: by its pole, by the kind of score, and by which scores are the good ones. */
  readonly effects: Readonly<Record<string, 'improves' | 'worsens'>>;
  /** What it reads. */
  readonly modalities: readonly Modality[];
  /** What its author should look at. */
  readonly warnings: readonly Finding[];

  /**
   * Measures an interaction. Content that is insufficient gives a reading too: one that says so.
   * @throws {SonometerError} `invalid_request` with the place of what is wrong; `payload_too_large`
   */
  sense<O extends Offsets = 'utf16'>(interaction: InteractionInput, options?: SenseOptions<O>): Reading<O>;
  /**
   * Measures many, one after the other. What is wrong with one is its own outcome; the place of its error begins with
   * `interactions[n]`. What `interactions` itself throws is thrown on.
   */
  batch<O extends Offsets = 'utf16'>(interactions: Iterable<InteractionInput>, options?: SenseOptions<O>): Outcome<O>[];
  /** As `batch`, one outcome at a time. */
  each<O extends Offsets = 'utf16'>(interactions: Iterable<InteractionInput>, options?: SenseOptions<O>): IterableIterator<Outcome<O>>;
  /** Begins to measure an interaction that comes in bit by bit. */
  session<O extends Offsets = 'utf16'>(options?: SessionOptions<O>): Session<O>;
  /** A stream that masks text and passes it on as soon as no masked pattern can reach it: `answer.pipeThrough(sensor.guard())`. */
  guard<O extends Offsets = 'utf16'>(options?: GuardOptions<O>): Guard<O>;
  /** The turns of an interaction as they may be shown, with private stretches masked; regardless of how much it holds. */
  shown(interaction: InteractionInput, options?: ShownOptions): readonly Shown[];
  /** Whether an interaction holds enough to be measured; costs no ICS. */
  fidelity(interaction: InteractionInput): Fidelity;
  /**
   * Measures two interactions, and what lies between them.
   * @throws {SonometerError} as `sense`; `insufficient_signal` if one of them holds too little
   */
  compare(a: InteractionInput, b: InteractionInput, options?: { readonly usdPerIcs?: number | undefined }): Comparison;
  /** What content of so many code points will cost. */
  estimate(
    characters: number,
    options?: { readonly modality?: Modality | undefined; readonly usdPerIcs?: number | undefined },
  ): Estimate;

  /** Gives its memory back now; using the sensor afterwards is an error. Otherwise that happens with garbage collection. */
  free(): void;
  [Symbol.dispose](): void;
}

/** A place in an interaction that still comes in. */
export interface Place {
  /** From 0; 0 in a text. */
  readonly segment: number;
  /** How far into its content, in the unit of the session. */
  readonly offset: number;
}

/** An event of a session. Evidence and masks are reported once and are final; the others give the current state. */
export type SessionEvent =
  | {
      readonly event: 'evidence';
      readonly metamarker: string;
      readonly score: number;
      readonly source: string;
      readonly segment: number;
      readonly start: number;
      readonly end: number;
      /** Where it goes on in later segments. */
      readonly joined?: readonly Stretch[];
    }
  | {
      readonly event: 'mask';
      readonly segment: number;
      readonly start: number;
      readonly end: number;
      /** What is shown in its place. */
      readonly shown: string;
    }
  | { readonly event: 'resonance'; readonly metamarker: string; readonly score: number }
  | { readonly event: 'fidelity'; readonly index: number; readonly sufficient: boolean };

/** What a push brought to light, frozen. */
export interface Step {
  /** Everything before this place is settled: nothing there can change any more. */
  readonly settled_to: Place;
  /** Text before this place may be shown with the masks reported so far; with `release` it runs ahead of `settled_to`. */
  readonly released_to: Place;
  readonly events: readonly SessionEvent[];
  /** With `release`: the text up to `released_to`, as it may be shown. */
  readonly released?: readonly { readonly segment: number; readonly text: string }[];
}

export interface SessionOptions<O extends Offsets = Offsets> extends SenseOptions<O> {
  /** `utf16` by default; `false` leaves places out of readings, and steps count UTF-16 units. */
  readonly offsets?: O | undefined;
  /** Whether steps carry the text that may be shown, masked, as soon as no masked pattern can reach it; `false` by default. */
  readonly release?: boolean | undefined;
}

/** One interaction that comes in bit by bit: a text, or the segments of a conversation. The first call decides. */
export class Session<out O extends Offsets = OffsetUnit> implements Disposable {
  private constructor();
  /** Everything before this place is settled. */
  readonly settledTo: Place;
  /** Text before this place may be shown with the masks reported so far. */
  readonly releasedTo: Place;
  /**
   * The next part of the text, or of the segment begun last: text or UTF-8 bytes, cut anywhere. `null` and `undefined`, as the
   * first and the last delta of a chat interface have them, are nothing.
   * @throws {SonometerError} The part is not taken then, and the session goes on as if it had not come.
   */
  push(chunk: string | Uint8Array | null | undefined): Step;
  /** Begins a segment of a conversation; the one before is over. */
  beginSegment(role: string, options?: { readonly timestamp?: number | null | undefined }): Step;
  /** A whole segment of a conversation; a message without text is ignored. */
  pushSegment(segment: Turn | ChatMessage | ChatItem): Step;
  /** Ends the input: everything settles, and the remaining events are returned. `finish` does not need it. */
  end(): Step;
  /** The reading as if the interaction ended here. The session goes on. */
  soFar(): Reading<O>;
  /** The reading of all that came in, the same bytes as from `sense`. The session is over. */
  finish(): Reading<O>;
  /** Gives its memory back without a reading. */
  free(): void;
  [Symbol.dispose](): void;
}

export interface GuardOptions<O extends Offsets = Offsets> extends SenseOptions<O> {
  /** `utf16` by default; `false` leaves places out of the reading, and steps count UTF-16 units. */
  readonly offsets?: O | undefined;
  /** Called for every step, before its text is passed on. If it throws, the stream ends with that error, and no more text passes. */
  readonly onStep?: ((step: Step) => void) | undefined;
}

/**
 * A `TransformStream` of text that lets pass what no masked pattern can reach any more, masked where the protocol says so, and holds back the rest:
 * `answer.pipeThrough(sensor.guard())`. Empty chunks, `null` and `undefined` are skipped.
 */
export class Guard<out O extends Offsets = OffsetUnit> {
  private constructor();
  readonly readable: ReadableStream<string>;
  readonly writable: WritableStream<string | Uint8Array | null | undefined>;
  /** The reading of all that came in, once the stream has closed; rejected if it failed or was cancelled. */
  readonly reading: Promise<Reading<O>>;
}

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

export type ErrorCode =
  | 'invalid_request'
  | 'target_not_found'
  | 'insufficient_signal'
  | 'invalid_protocol'
  | 'payload_too_large'
  | 'internal_error'
  // Of dives and cards:
  | 'dive_closed'
  | 'action_too_long'
  | 'card_mismatch'
  | 'invalid_key'
  | 'not_supported';

/** The one error of this package. */
export class SonometerError extends Error {
  private constructor();
  readonly name: 'SonometerError';
  readonly code: ErrorCode;
  /** Where in what was given: `segments[3].role`, `line 4, column 7`, `options.profile`; empty where there is no place. */
  readonly place: string;
  readonly details: {
    /** Of `invalid_protocol`. */
    readonly findings?: readonly Finding[];
    /** Of half a surrogate pair: its place in the text. */
    readonly offset?: number;
  };
  toJSON(): Pick<SonometerError, 'code' | 'message' | 'place' | 'details'>;
}

/** One version of what ships. */
export interface CatalogEntry {
  readonly kind: Kind;
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly status: 'draft' | 'published' | 'active' | 'archived';
  readonly description: string;
  /** The file, as its author wrote it. */
  readonly source: string;
}

/** Every protocol, metric and blueprint that ships. */
export function catalog(): readonly CatalogEntry[];

/** One version of a stage that ships. */
export interface StageEntry {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly status: 'draft' | 'published' | 'active' | 'archived';
  readonly description: string;
  /** The file, as its author wrote it. */
  readonly source: string;
}

/** Every stage that ships. */
export function stages(): readonly StageEntry[];

/** The engine and its tables, in one line. Two engines that say the same give the same bytes. */
export function fingerprint(): string;

/**
 * Loads the engine. Browsers must wait for it once, before anything else; in Node it is not needed.
 *
 * @param source Where `sonometer.wasm` is: an address, its bytes, an answer of `fetch`, or a compiled module. By default it
 * lies beside the script (in Node: the package).
 * @throws {SonometerError} `invalid_request` if it cannot be loaded; it may be called again then
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;

/** An address (text, `URL`, `Request`), a `Response`, bytes (`ArrayBuffer` or a view of one), or a `WebAssembly.Module`. */
export type WasmSource = string | object;

// Where neither the library of the DOM nor Node's types are there, streams are known by name only.
declare global {
  interface ReadableStream<R> {}
  interface WritableStream<W> {}
}
