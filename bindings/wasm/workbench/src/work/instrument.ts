// Compiling and sensing, in a worker.
import { call } from '#package/engine.js';
import { finding } from '#package/errors.js';
import type { Ask, Instrument } from '#package/glue.js';
import { Held } from '#package/held.js';
import { SonometerError, type Finding, type Reading } from 'sonometer';
import type { Compiled, Edit, Effect, Facts, Files, Protocol, Sensed, Talk } from '../shared/asks.js';

const FREED = { freed: 'another protocol took its place' };
const encoder = new TextEncoder();

/** List files as the engine takes them: a path, then a text. */
export function inPairs(files: Files): string[] {
  return Object.entries(files).flat();
}

/** What the engine takes for a talk: a text, or JSON. */
export function written(talk: Talk): { readonly text: string; readonly json: boolean } {
  if (typeof talk === 'string') return { text: talk, json: false };
  return { text: JSON.stringify({ type: 'transcript', segments: talk }), json: true };
}

/** A protocol, metric or blueprint, compiled. */
export class Compiling {
  readonly facts: Facts;
  readonly warnings;
  readonly #held: Held<Instrument>;
  /** Whether it measures flow and course (SGM 1.5). */
  readonly #dynamic: boolean;

  constructor({ source, files }: Protocol) {
    this.#held = new Held((engine) => engine.Instrument.read(source, [], true, inPairs(files)), FREED);
    this.#dynamic = this.#held.use((instrument, engine) => {
      try {
        instrument.check(asked(new engine.Ask('discovery', 'utf16'), true));
        return true;
      } catch {
        return false;
      }
    });
    const { facts, markers, effects, warnings } = this.#held.use((instrument) => ({
      facts: instrument.facts(),
      markers: instrument.markers(),
      effects: instrument.effects() as Effect[],
      warnings: instrument.warnings(),
    }));
    const [kind = '', id = '', version = '', name = '', better = '', language = '', meaning = ''] = facts;
    this.facts = { kind, id, version, name, better, language, meaning, markers, effects };
    this.warnings = warnings.map(finding);
  }

  /** The reading with all that it can show. */
  sense(talk: Talk): Reading {
    const { text, json } = written(talk);
    const bytes = encoder.encode(text);
    return JSON.parse(
      this.#held.use((instrument, engine) => instrument.sense(bytes, json, asked(new engine.Ask('discovery', 'utf16'), this.#dynamic), undefined)),
    ) as Reading;
  }

  /** The reading of JSON or a text with scores and evidence alone, for many. */
  senseBriefly(text: string, json: boolean): Reading {
    const bytes = encoder.encode(text);
    return JSON.parse(this.#held.use((instrument, engine) => instrument.sense(bytes, json, new engine.Ask('raw', 'utf16'), undefined))) as Reading;
  }

  /** For each protocol its name, and how its numbers came about. */
  ledger(talk: Talk): [string, string][] {
    const { text, json } = written(talk);
    const told = this.#held.use((instrument, engine) => engine.ledger(instrument, text, json));
    return Array.from({ length: told.length / 2 }, (_, at) => [told[2 * at] ?? '', told[2 * at + 1] ?? '']);
  }

  /** The report as a page. */
  page(talk: Talk): string {
    const { text, json } = written(talk);
    return this.#held.use((instrument, engine) => engine.page(instrument, text, json));
  }

  /** The report of many as a page. */
  overview(name: string, lines: string, names: string[]): string {
    return this.#held.use((instrument, engine) => engine.overview(instrument, name, lines, names));
  }

  evaluate(name: string, lines: string, label: string, threshold: string): string[] {
    return this.#held.use((instrument, engine) => engine.evaluate(instrument, name, encoder.encode(lines), label, threshold));
  }

  free(): void {
    this.#held.free();
  }
}

function asked(ask: Ask, dynamic: boolean): Ask {
  if (dynamic) {
    ask.addFlow(undefined);
    ask.addTemporal(undefined);
  }
  return ask;
}

/** The protocol in use. One with errors does not take the place of the last good one. */
let current: Compiling | undefined;

export function compile(protocol: Protocol & { readonly talk: Talk }): Compiled {
  const begin = performance.now();
  try {
    const next = new Compiling(protocol);
    current?.free();
    current = next;
  } catch (error) {
    if (!(error instanceof SonometerError)) throw error;
    const findings = error.details.findings ?? [];
    const told = findings.length === 0 ? { message: error.message } : {};
    return { findings, ...told, reading: sense(protocol.talk), took: performance.now() - begin };
  }
  const { facts, warnings } = current;
  return { facts, findings: warnings, reading: sense(protocol.talk), took: performance.now() - begin };
}

/** With the last good protocol. */
export function sense(talk: Talk): Sensed {
  if (current === undefined) return { message: 'no protocol yet' };
  try {
    return { reading: current.sense(talk) };
  } catch (error) {
    if (!(error instanceof SonometerError)) throw error;
    return { message: error.message };
  }
}

export function ledger(talk: Talk): readonly (readonly [string, string])[] {
  return current?.ledger(talk) ?? [];
}

/** The last protocols that slower questions were about: typing in the talk asks again and again about the same. */
const kept: { readonly key: string; readonly compiled: Compiling }[] = [];

/** How many are kept: two that are compared. */
const MOST_KEPT = 2;

export function compiled({ source, files }: Protocol): Compiling {
  const key = JSON.stringify([source, files]);
  const found = kept.find((one) => one.key === key);
  if (found !== undefined) return found.compiled;
  const made = new Compiling({ source, files });
  kept.unshift({ key, compiled: made });
  kept.splice(MOST_KEPT).forEach((one) => one.compiled.free());
  return made;
}

/** What the tests of the file say. */
export function tests({ source, files }: Protocol, coverage: boolean): string {
  return call((engine) => engine.tests(source, inPairs(files), coverage));
}

/** The changes that mend a finding, the best first. */
export function fixes({ source, files }: Protocol, { code, start }: Finding): Edit[] {
  return JSON.parse(call((engine) => engine.fixes(source, inPairs(files), code, start))) as Edit[];
}

export function format({ source, files }: Protocol): string {
  return call((engine) => engine.format(source, inPairs(files)));
}
