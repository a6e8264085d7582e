// The package's own scripts, which the workbench is bundled with, as far as it uses them. Their declarations for everybody are
// `bindings/wasm/js/index.d.ts`; the build names the places of all these.

declare module '#package/engine.js' {
  import type { Ask, Instrument } from '#package/glue.js';
  interface Engine {
    readonly Instrument: { read(source: string, shelf: string[], ships: boolean, files: string[]): Instrument };
    readonly Ask: new (profile: string, offsets: string | undefined) => Ask;
    ledger(instrument: Instrument, input: string, json: boolean): string[];
    page(instrument: Instrument, input: string, json: boolean): string;
    overview(instrument: Instrument, name: string, lines: string, names: string[]): string;
    turns(list: string): string[];
    tests(source: string, files: string[], coverage: boolean): string;
    complete(source: string, at: number, shipped: string[]): string;
    explain(source: string, files: string[], at: number): string;
    section(code: string): string[];
    format(source: string, files: string[]): string;
    fixes(source: string, files: string[], code: string, start: number): string;
    evaluate(instrument: Instrument, name: string, lines: Uint8Array, label: string, threshold: string): string[];
  }
  export function start(source: WebAssembly.Module): Promise<void>;
  export function call<T>(work: (engine: Engine, generation: number) => T): T;
}

declare module '#package/glue.js' {
  interface Ask {
    addFlow(primary: string | undefined): void;
    addTemporal(window: string | undefined): void;
  }
  interface Instrument {
    facts(): string[];
    markers(): string[];
    effects(): string[];
    warnings(): FindingRow[];
    check(ask: Ask | undefined): void;
    sense(input: Uint8Array, json: boolean, ask: Ask | undefined, nth: number | undefined): string;
    free(): void;
  }
  type FindingRow = [string, 'error' | 'warning', string, string, number, number, number, number];
}

declare module '#package/held.js' {
  import type { Engine } from '#package/engine.js';
  export class Held<T> {
    constructor(make: (engine: Engine) => T, messages: { freed: string; lost?: string });
    use<R>(work: (object: T, engine: Engine) => R): R;
    free(): void;
  }
}

declare module '#package/errors.js' {
  import type { Finding } from 'sonometer';
  import type { FindingRow } from '#package/glue.js';
  export function finding(row: FindingRow): Finding;
}

declare module '#package/files.js' {
  export function readFilesBy(read: (path: string) => Promise<string>, now: boolean): void;
  export function fileNamed(name: string): string | undefined;
  export function listPaths(path: string): readonly string[];
}

declare module '#package/about.js' {
  /** Name and the first line of the description of each file, by `id@version`. */
  export const ABOUT: Readonly<Record<string, readonly [string, string]>>;
}

declare module '#package/names.js' {
  /** List files by version, by id. */
  export const FILES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}
