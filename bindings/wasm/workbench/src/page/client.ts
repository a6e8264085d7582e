// The workers as the page sees them.
import type { Answer, Asks, Kind, Trouble } from '../shared/asks.js';

/** What a worker could not do. */
export class AskError extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.place === '' ? trouble.message : `${trouble.place}: ${trouble.message}`);
  }
}

/** A newer ask of the same kind took the place of this one. */
export const STALE: unique symbol = Symbol('stale');

interface Pending {
  readonly give: (value: unknown) => void;
  readonly fail: (error: Error) => void;
  readonly tell: ((share: number) => void) | undefined;
}

export class Client {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #number = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#take(data);
    worker.onerror = (event) => {
      const error = new Error(event.message === '' ? 'the worker could not be started' : event.message);
      this.#pending.forEach(({ fail }) => fail(error));
      this.#pending.clear();
    };
  }

  /** Asks; `tell` hears of progress. */
  ask<K extends Kind>(kind: K, takes: Asks[K]['takes'], tell?: (share: number) => void): Promise<Asks[K]['gives']> {
    this.#number += 1;
    const number = this.#number;
    return new Promise((give, fail) => {
      this.#pending.set(number, { give: give as (value: unknown) => void, fail, tell });
      this.#worker.postMessage({ number, kind, takes });
    });
  }

  /** The same, of which only the newest counts: `STALE` where another was asked since. */
  async newest<K extends Kind>(kind: K, takes: Asks[K]['takes']): Promise<Asks[K]['gives'] | typeof STALE> {
    const asked = (this.#asked[kind] ?? 0) + 1;
    this.#asked[kind] = asked;
    try {
      const gives = await this.ask(kind, takes);
      return this.#asked[kind] === asked ? gives : STALE;
    } catch (error) {
      if (this.#asked[kind] !== asked) return STALE;
      throw error;
    }
  }

  end(): void {
    this.#worker.terminate();
  }

  readonly #asked: Partial<Record<Kind, number>> = {};

  #take(answer: Answer): void {
    const pending = this.#pending.get(answer.number);
    if (pending === undefined) return;
    if ('progress' in answer) {
      pending.tell?.(answer.progress);
      return;
    }
    this.#pending.delete(answer.number);
    if ('trouble' in answer) pending.fail(new AskError(answer.trouble));
    else pending.give(answer.gives);
  }
}

/** Where worker and module come from: files beside the page, or texts within it. */
interface Parts {
  readonly worker: () => Worker;
  /** The address of the module, or its bytes. */
  readonly module: () => Promise<ArrayBuffer | string>;
  /** The folder of the page; empty where there is none. */
  readonly base: string;
}

function parts(): Parts {
  const inlined = document.getElementById('worker-text');
  if (inlined === null) {
    const base = new URL('.', location.href).href;
    return { worker: () => new Worker(new URL('worker.js', base)), module: async () => new URL('workbench.wasm', base).href, base };
  }
  const address = URL.createObjectURL(new Blob([inlined.textContent ?? ''], { type: 'text/javascript' }));
  return { worker: () => new Worker(address), module: unpacked, base: '' };
}

/** The module of the single file: gzip in base64. */
async function unpacked(): Promise<ArrayBuffer> {
  const text = document.getElementById('module-gzip')?.textContent ?? '';
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

/** Workers with the engine in them. The module is fetched and compiled once, by the first. */
export class Engines {
  readonly #parts: Parts = parts();
  #module: Promise<WebAssembly.Module> | undefined;
  fingerprint = '';

  async start(): Promise<Client> {
    const client = new Client(this.#parts.worker());
    const { base } = this.#parts;
    const first = this.#module === undefined;
    const module = this.#module === undefined ? await this.#parts.module() : await this.#module;
    const started = client.ask('start', { module, base });
    if (first) this.#module = started.then((told) => told.module);
    this.fingerprint = (await started).fingerprint;
    return client;
  }
}
