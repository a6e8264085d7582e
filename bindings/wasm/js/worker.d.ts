/// <reference lib="esnext.disposable" />
import type {
  CatalogEntry, Comparison, Estimate, Fidelity, InteractionInput as LocalInput, Modality, Offsets, OffsetUnit, Outcome, Place, Reading,
  SenseOptions, SensorFacts, SessionOptions, Shown, ShownOptions, SourceOptions, Step, Turn, ChatItem, ChatMessage, ChatReference, WasmSource,
} from './index.js';

export { Comparison, Estimate, Reading, SonometerError } from './index.js';
export type * from './index.js';

// As with streams in `index.d.ts`: the library of the DOM is not asked for, since programs of Node have other types of the same names.
declare global {
  interface AbortSignal {}
}

/** Cancels a call: one that waits is not sent, of one that runs nobody waits any more. The promise is rejected with `signal.reason`. */
export interface Cancel {
  readonly signal?: AbortSignal | undefined;
}

/** An interaction from JSON text. `sonometer` takes it as well. */
export class Interaction {
  private constructor();
  /** @throws {SonometerError} (rejects) `invalid_request` with the place of the first thing that is wrong. */
  static parse(json: string): Promise<Interaction>;
  /** The JSON text, unchanged. */
  json(): string;
}

/** As in `sonometer`; an `Interaction` may be one of either entry. */
export type InteractionInput = LocalInput | Interaction;

interface Remote {
  /** Gives its memory back. Otherwise that happens with garbage collection. */
  free(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Sensor extends SensorFacts {}

/** A compiled protocol, metric or blueprint in the worker. Methods are those of `sonometer`, and give promises of the same. */
export class Sensor implements Remote {
  private constructor();
  static shipped(name: string, options?: Cancel): Promise<Sensor>;
  static load(name: string, options?: Cancel): Promise<Sensor>;
  static fromSource(source: string | object, options?: SourceOptions & Cancel): Promise<Sensor>;

  sense<O extends Offsets = 'utf16'>(interaction: InteractionInput, options?: SenseOptions<O> & Cancel): Promise<Reading<O>>;
  batch<O extends Offsets = 'utf16'>(
    interactions: Iterable<InteractionInput> | AsyncIterable<InteractionInput>,
    options?: SenseOptions<O> & Cancel,
  ): Promise<Outcome<O>[]>;
  /** One outcome at a time. Interactions are taken as they are needed; leaving the loop ends it. */
  each<O extends Offsets = 'utf16'>(
    interactions: Iterable<InteractionInput> | AsyncIterable<InteractionInput>,
    options?: SenseOptions<O> & Cancel,
  ): AsyncIterableIterator<Outcome<O>>;
  session<O extends Offsets = 'utf16'>(options?: SessionOptions<O> & Cancel): Promise<Session<O>>;
  guard<O extends Offsets = 'utf16'>(
    options?: SenseOptions<O> & Cancel & { readonly onStep?: ((step: Step) => unknown) | undefined },
  ): Promise<Guard<O>>;
  shown(interaction: InteractionInput, options?: ShownOptions & Cancel): Promise<readonly Shown[]>;
  fidelity(interaction: InteractionInput, options?: Cancel): Promise<Fidelity>;
  compare(a: InteractionInput, b: InteractionInput, options?: { readonly usdPerIcs?: number | undefined } & Cancel): Promise<Comparison>;
  estimate(
    characters: number,
    options?: { readonly modality?: Modality | undefined; readonly usdPerIcs?: number | undefined } & Cancel,
  ): Promise<Estimate>;

  free(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** One interaction that comes in bit by bit. Calls are done in their order, so that none needs to wait for the one before. */
export class Session<out O extends Offsets = OffsetUnit> implements Remote {
  private constructor();
  readonly settledTo: Place;
  readonly releasedTo: Place;
  /** With `transfer`, bytes are moved to the worker and not copied; the page does not have them any more. */
  push(chunk: string | Uint8Array | null | undefined, options?: { readonly transfer?: boolean | undefined } & Cancel): Promise<Step>;
  beginSegment(role: string, options?: { readonly timestamp?: number | null | undefined } & Cancel): Promise<Step>;
  pushSegment(segment: Turn | ChatMessage | ChatItem | ChatReference, options?: Cancel): Promise<Step>;
  end(options?: Cancel): Promise<Step>;
  soFar(options?: Cancel): Promise<Reading<O>>;
  finish(options?: Cancel): Promise<Reading<O>>;
  free(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A `TransformStream` of text: `answer.pipeThrough(await sensor.guard())`. */
export class Guard<out O extends Offsets = OffsetUnit> {
  private constructor();
  readonly readable: ReadableStream<string>;
  readonly writable: WritableStream<string | Uint8Array | null | undefined>;
  readonly reading: Promise<Reading<O>>;
}

export function catalog(): Promise<readonly CatalogEntry[]>;
export function fingerprint(): Promise<string>;

export interface WorkerOptions {
  /** Whether bytes given as the source are moved to the worker and not copied. */
  readonly transfer?: boolean | undefined;
  /** Makes the worker, where a bundler does not find its script: one that runs `sonometer/worker-thread`. */
  readonly worker?: (() => object) | undefined;
}

/**
 * Starts the worker and loads the engine in it. Everything else does so by itself; call it to start early, or to say where
 * `sonometer.wasm` is.
 * @throws {SonometerError} (rejects) `invalid_request` if the engine cannot be loaded, `internal_error` if the worker cannot be started;
 * it may be called again then
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>, options?: WorkerOptions): Promise<void>;

/** Stops the worker at once, also in the middle of a call. What waits is rejected; the next call of a function starts another. */
export function terminate(): void;
