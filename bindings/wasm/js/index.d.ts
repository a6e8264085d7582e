/// <reference lib="esnext.disposable" />
import type { Kind } from './readings.js';
export * from './errors.js';
export * from './readings.js';
export * from './sensor.js';
export * from './stage.js';

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

/** Every protocol, metric and blueprint that the module holds. The folder `protocols` of the package has those that `Sensor.load` reads beside them. */
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
