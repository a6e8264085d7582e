/// <reference lib="esnext.disposable" />
import type {
  ChatItem, ChatMessage, ChatReference, Comparison, Estimate, Fidelity, Finding, InteractionInput, Kind, Modality, OffsetUnit, Offsets, Outcome, Reading,
  SenseOptions, Stretch, Turn,
} from './readings.js';

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

/** What a sensor says of itself; here, and in a worker. */
export interface SensorFacts {
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
}

export interface Sensor extends SensorFacts {}

/** A compiled protocol, metric or blueprint. Make it once and use it for many interactions. */
export class Sensor implements Disposable {
  private constructor();

  /**
   * What ships in the module, by `id` (its newest version there) or `id@version`; see `catalog`. In Node also what ships as a file in the
   * folder `protocols` of the package, such as the newest `personal-data`, for which the module has no room.
   * @throws {SonometerError} `target_not_found`; in browsers `invalid_request` for a file of the package, which `load` reads
   */
  static shipped(name: string): Sensor;
  /**
   * What ships, in the module or as a file in the folder `protocols` of the package, by `id` or `id@version`. In browsers the file is
   * fetched from beside the module.
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
  /**
   * The turns of an interaction as they may be shown, with private stretches masked; regardless of how much it holds.
   * @throws {SonometerError} as `sense`
   */
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
  /** With `release`: the text up to `released_to`, as it may be shown. Absent where this step releases none. */
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
  pushSegment(segment: Turn | ChatMessage | ChatItem | ChatReference): Step;
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
  /**
   * Called for every step, before its text is passed on, which waits for a promise. If it throws or the promise is rejected, the stream ends with
   * that error, and no more text passes.
   */
  readonly onStep?: ((step: Step) => unknown) | undefined;
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
