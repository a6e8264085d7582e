// Many talks: measured one after the other with progress, and by two versions of a protocol.
import { SonometerError, type Evidence } from 'sonometer';
import type { Measured, Moved, Protocol, Talk } from '../shared/asks.js';
import { corpusName, items } from './corpus.js';
import { missing } from './course.js';
import { compiled, written } from './instrument.js';

/** Milliseconds of work between two words about progress. */
const STRETCH = 60;
/** The place of nobody among the roles. */
const NOBODY = 31;
const ROLES = 32;

/** Measures every talk of the corpus; `told` hears which part of it is done, and may throw to end it. */
export async function measure(protocol: Protocol, told: (share: number) => void): Promise<Measured> {
  const begin = performance.now();
  const own = compiled(protocol);
  const { markers, effects, meaning } = own.facts;
  const place = new Map(markers.map((marker, at) => [marker, at]));
  const roles = roleNumbers();
  const scores = new Float64Array(items.length).fill(Number.NaN);
  const from = new Uint32Array(items.length + 1);
  const found: number[] = [];
  let failed = 0;
  let rested = performance.now();
  for (const [at, { talk }] of items.entries()) {
    const { text, json } = written(talk);
    try {
      const { score, evidence } = own.senseBriefly(text, json);
      if (score !== null) scores[at] = score;
      found.push(...codes(evidence, talk, place, roles));
    } catch (error) {
      if (!(error instanceof SonometerError)) throw error;
      failed += 1;
    }
    from[at + 1] = found.length;
    if (performance.now() - rested > STRETCH) {
      told((at + 1) / items.length);
      await rest();
      rested = performance.now();
    }
  }
  return { markers, effects, meaning, scores, found: Uint16Array.from(found), from, failed, took: performance.now() - begin };
}

/** The roles of the corpus in the order of the page. */
function roleNumbers(): ReadonlyMap<string, number> {
  const roles = new Set<string>();
  for (const { talk } of items) if (typeof talk !== 'string') talk.forEach((turn) => roles.add(turn.role));
  return new Map([...roles].slice(0, NOBODY).map((role, at) => [role, at]));
}

/** Each marker with each role that gave evidence of it, once. */
function codes(evidence: readonly Evidence[], talk: Talk, place: ReadonlyMap<string, number>, roles: ReadonlyMap<string, number>): Set<number> {
  // Turns without text are no segments.
  const turns = typeof talk === 'string' ? [] : talk.filter((turn) => turn.content !== '');
  return new Set(
    evidence.map(({ metamarker, segment }) => {
      const role = segment === undefined ? undefined : turns[segment]?.role;
      return (place.get(metamarker) ?? 0) * ROLES + (role === undefined ? NOBODY : (roles.get(role) ?? NOBODY));
    }),
  );
}

/** Lets messages in, such as the one that ends this. */
function rest(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** The report of the corpus as a page. */
export function overview(protocol: Protocol): string {
  // Turns without text are no segments.
  const interaction = (talk: Talk) =>
    typeof talk === 'string' ? { content: talk } : { segments: talk.filter((turn) => turn.content !== '') };
  const lines = items.map(({ talk }) => JSON.stringify(interaction(talk)));
  return compiled(protocol).overview(corpusName(), lines.join('\n'), items.map(({ id }) => id));
}

/** One talk by two versions. */
export function moved(before: Protocol, after: Protocol, which: Talk | number): Moved {
  const talk = typeof which === 'number' ? (items[which]?.talk ?? '') : which;
  const [then, now] = [compiled(before).sense(talk), compiled(after).sense(talk)];
  return { before: then, after: now, lost: missing(then.evidence, now.evidence), gained: missing(now.evidence, then.evidence) };
}

/** The figures on a label of talks, and the report as a page. */
export function evaluate(
  protocol: Protocol,
  { name, lines }: { readonly name: string; readonly lines: string },
  label: string,
  threshold: string,
): { figures: unknown; page: string } {
  const [json = 'null', page = ''] = compiled(protocol).evaluate(name, lines, label, threshold);
  return { figures: JSON.parse(json) as unknown, page };
}
