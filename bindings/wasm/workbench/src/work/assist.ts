// What the editor of the protocol shows at a place.
import { call } from '#package/engine.js';
import type { About, Completions, Protocol, Section } from '../shared/asks.js';
import { shipped } from './catalogue.js';
import { inPairs } from './instrument.js';

/** Kind and `id@version` of what ships, in pairs. */
let names: string[] | undefined;

export function complete(source: string, at: number): Completions {
  const ships = (names ??= shipped().flatMap(({ kind, id, version }) => [kind, `${id}@${version}`]));
  return JSON.parse(call((engine) => engine.complete(source, at, ships))) as Completions;
}

export function explain({ source, files }: Protocol, at: number): About | undefined {
  const told = call((engine) => engine.explain(source, inPairs(files), at));
  return told === '' ? undefined : (JSON.parse(told) as About);
}

export function section(code: string): Section | undefined {
  const [title, meaning = '', example = '', mended = ''] = call((engine) => engine.section(code));
  return title === undefined ? undefined : { title, meaning, example, mended };
}
