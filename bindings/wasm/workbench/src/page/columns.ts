// Questions about readings by columns: which rows are meant, in which order, how they are spread.
import type { Corpus, Measured } from '../shared/asks.js';

const ROLES = 32;

export interface Filter {
  /** Its number among the markers; nothing: any. */
  readonly marker: number | undefined;
  readonly role: number | undefined;
  readonly least: number;
  readonly most: number;
  readonly text: string;
  /** Whether talks that were not measured are meant too. */
  readonly unmeasured: boolean;
}

export type Order = 'place' | 'up' | 'down' | 'found';

/** The rows that a filter lets through, in an order. */
export function rows(measured: Measured, corpus: Corpus, filter: Filter, order: Order): Uint32Array {
  const text = filter.text.toLowerCase();
  const kept: number[] = [];
  for (let row = 0; row < corpus.size; row += 1) {
    const score = measured.scores[row] ?? Number.NaN;
    if (Number.isNaN(score) ? !filter.unmeasured : score < filter.least || score > filter.most) continue;
    if ((filter.marker !== undefined || filter.role !== undefined) && !has(measured, row, filter.marker, filter.role)) continue;
    if (text !== '' && !`${corpus.ids[row] ?? ''} ${corpus.previews[row] ?? ''}`.toLowerCase().includes(text)) continue;
    kept.push(row);
  }
  const score = (row: number) => {
    const own = measured.scores[row] ?? Number.NaN;
    return Number.isNaN(own) ? 2 : own;
  };
  const found = (row: number) => (measured.from[row + 1] ?? 0) - (measured.from[row] ?? 0);
  if (order === 'up') kept.sort((a, b) => score(a) - score(b) || a - b);
  if (order === 'down') kept.sort((a, b) => (score(b) === 2 ? -1 : score(b)) - (score(a) === 2 ? -1 : score(a)) || a - b);
  if (order === 'found') kept.sort((a, b) => found(b) - found(a) || a - b);
  return Uint32Array.from(kept);
}

function has(measured: Measured, row: number, marker: number | undefined, role: number | undefined): boolean {
  for (let at = measured.from[row] ?? 0; at < (measured.from[row + 1] ?? 0); at += 1) {
    const code = measured.found[at] ?? 0;
    const own = Math.floor(code / ROLES);
    if ((marker === undefined || own === marker) && (role === undefined || code % ROLES === role)) return true;
  }
  return false;
}

/** The markers of a row. */
export function markersOf(measured: Measured, row: number): number[] {
  const codes = measured.found.subarray(measured.from[row] ?? 0, measured.from[row + 1] ?? 0);
  return [...new Set([...codes].map((code) => Math.floor(code / ROLES)))];
}

/** How many talks have each marker. */
export function frequencies(measured: Measured, size: number): number[] {
  const many = measured.markers.map(() => 0);
  for (let row = 0; row < size; row += 1) for (const marker of markersOf(measured, row)) many[marker] = (many[marker] ?? 0) + 1;
  return many;
}

/** How many scores lie in each of so many equal bins; the last holds 1 too. */
export function bins(scores: Float64Array, many: number): number[] {
  const counts = Array.from({ length: many }, () => 0);
  for (const score of scores) {
    if (Number.isNaN(score)) continue;
    const bin = Math.min(many - 1, Math.floor(score * many));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

export interface Confusion {
  readonly hits: number;
  readonly falseAlarms: number;
  readonly missed: number;
  readonly quiet: number;
}

/** What a threshold on the score would do on a label; `lower`: low scores are the positive ones. */
export function confusion(scores: Float64Array, positive: readonly (boolean | undefined)[], threshold: number, lower: boolean): Confusion {
  let [hits, falseAlarms, missed, quiet] = [0, 0, 0, 0];
  scores.forEach((score, row) => {
    const label = positive[row];
    // A talk without a label, or too short to be measured, says nothing here.
    if (label === undefined || Number.isNaN(score)) return;
    const says = lower ? score <= threshold : score >= threshold;
    if (says && label) hits += 1;
    else if (says) falseAlarms += 1;
    else if (label) missed += 1;
    else quiet += 1;
  });
  return { hits, falseAlarms, missed, quiet };
}

/** Whether a value of a label is the positive class: true, 1, or what is chosen. */
export function isPositive(value: string | number | boolean | null, chosen: string): boolean | undefined {
  if (value === null) return undefined;
  return chosen === '' ? value === true || value === 1 : String(value) === chosen;
}

/** The steps of a slider from 0 to 1. */
export const STEPS = 200;

/** Where precision and recall are both good: the threshold with the highest F1 among the scores that occur. */
export function bestThreshold(scores: Float64Array, positive: readonly (boolean | undefined)[], lower: boolean): number {
  // On the steps of the slider, so that the score itself is on the side of yes.
  const onStep = (score: number) => (lower ? Math.ceil(score * STEPS) : Math.floor(score * STEPS)) / STEPS;
  const candidates = [...new Set([...scores].filter((score) => !Number.isNaN(score)).map(onStep))];
  let best = { threshold: 0.5, f1: -1 };
  for (const threshold of candidates) {
    const { hits, falseAlarms, missed } = confusion(scores, positive, threshold, lower);
    const f1 = (2 * hits) / Math.max(1, 2 * hits + falseAlarms + missed);
    if (f1 > best.f1) best = { threshold, f1 };
  }
  return best.threshold;
}
