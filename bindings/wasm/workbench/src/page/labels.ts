// Talks with labels: what a threshold on the score would do, and the figures of `evaluate`.
import type { Corpus, Measured, Protocol } from '../shared/asks.js';
import type { Client } from './client.js';
import { STEPS, bestThreshold, confusion, isPositive } from './columns.js';
import { download, fill, h, number } from './dom.js';

export interface Labelled {
  readonly corpus: Corpus;
  readonly measured: Measured;
  readonly protocol: Protocol;
}

/** More values than these are no classes. */
const MOST_VALUES = 12;

/** The choice stays while the protocol changes. */
let chosen = { label: '', value: '', threshold: undefined as number | undefined };

export function labelsView(root: HTMLElement, own: Labelled, slow: () => Promise<Client>, apart: () => Promise<Client>): void {
  const { corpus, measured } = own;
  const usable = corpus.labels.filter((label) => new Set(corpus.values[label]).size <= MOST_VALUES);
  if (usable.length === 0) {
    fill(root);
    return;
  }
  if (!usable.includes(chosen.label)) chosen = { label: usable[0] ?? '', value: '', threshold: undefined };
  const values = [...new Set(corpus.values[chosen.label])].filter((value) => value !== null).map(String);
  const hasTruth = values.some((value) => value === 'true' || value === '1');
  if (!hasTruth && !values.includes(chosen.value)) chosen.value = values[0] ?? '';
  const positive = (corpus.values[chosen.label] ?? []).map((value) => isPositive(value, chosen.value));
  const mean = (of: boolean) => {
    const scores = [...measured.scores].filter((score, row) => positive[row] === of && !Number.isNaN(score));
    return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
  };
  const lower = mean(true) < mean(false);
  const best = bestThreshold(measured.scores, positive, lower);
  const threshold = chosen.threshold ?? best;
  const redraw = () => labelsView(root, own, slow, apart);

  const cells = h('div');
  const told = h('p', { role: 'status' });
  const output = h('output', {}, number(threshold));
  const range = h('input', { type: 'range', min: 0, max: 1, step: 1 / STEPS, value: threshold, 'aria-label': 'Threshold on the score' });
  const draw = (at: number) => {
    const { hits, falseAlarms, missed, quiet } = confusion(measured.scores, positive, at, lower);
    const share = (part: number, whole: number) => (whole === 0 ? 'n/a' : (part / whole).toFixed(3));
    const f1 = share(2 * hits, 2 * hits + falseAlarms + missed);
    output.value = number(at);
    fill(
      told,
      `Positive ${lower ? 'up to' : 'from'} ${number(at)}: precision ${share(hits, hits + falseAlarms)}, recall ${share(hits, hits + missed)}, F1 ${f1}`,
    );
    fill(
      cells,
      h(
        'table',
        { class: 'confusion' },
        h('caption', { class: 'hidden' }, 'Confusion'),
        h('thead', {}, h('tr', {}, h('td', {}), h('th', {}, 'says yes'), h('th', {}, 'says no'))),
        h(
          'tbody',
          {},
          h('tr', {}, h('th', { scope: 'row' }, 'labelled yes'), h('td', {}, String(hits)), h('td', { class: 'wrong' }, String(missed))),
          h('tr', {}, h('th', { scope: 'row' }, 'labelled no'), h('td', { class: 'wrong' }, String(falseAlarms)), h('td', {}, String(quiet))),
        ),
      ),
    );
  };
  range.addEventListener('input', () => {
    chosen.threshold = Number(range.value);
    draw(Number(range.value));
  });
  const figures = h('div');
  const evaluate = async () => {
    // Its intervals are resampled a thousand times: in a worker of its own, so that the page goes on.
    const judge = await apart();
    fill(figures, h('p', { class: 'dim' }, 'Evaluating, with intervals…'));
    try {
      const lines = await (await slow()).ask('labelled', null);
      const { figures: told, page } = await judge.ask('evaluate', { ...own.protocol, ...lines, label: chosen.label, threshold: '' });
      fill(
        figures,
        figuresTable(told),
        h('button', { type: 'button', onclick: () => download('evaluation.html', page, 'text/html') }, 'The report as a page'),
      );
    } catch (error) {
      fill(figures, h('p', { class: 'warn' }, error instanceof Error ? error.message : String(error)));
    } finally {
      judge.end();
    }
  };
  fill(
    root,
    h('h3', {}, 'Labels'),
    h(
      'div',
      { class: 'filters' },
      h(
        'label',
        {},
        'label',
        h(
          'select',
          {
            onchange: (event: Event) => {
              chosen = { label: (event.target as HTMLSelectElement).value, value: '', threshold: undefined };
              redraw();
            },
          },
          usable.map((label) => h('option', { value: label, selected: label === chosen.label }, label)),
        ),
      ),
      hasTruth
        ? null
        : h(
            'label',
            {},
            'yes is',
            h(
              'select',
              {
                onchange: (event: Event) => {
                  chosen = { ...chosen, value: (event.target as HTMLSelectElement).value, threshold: undefined };
                  redraw();
                },
              },
              values.map((value) => h('option', { value, selected: value === chosen.value }, value)),
            ),
          ),
      h(
        'button',
        {
          type: 'button',
          onclick: () => {
            chosen.threshold = undefined;
            redraw();
          },
        },
        'Best F1',
      ),
      h('button', { type: 'button', onclick: () => void evaluate() }, 'Evaluate'),
    ),
    h('div', { class: 'two' }, h('div', {}, h('p', {}, 'Threshold ', output), range, told, cells), figures),
  );
  draw(threshold);
}

/** Figures with their intervals, from the JSON of `evaluate`. */
function figuresTable(told: unknown): HTMLElement {
  const { figures = {}, notes = [] } = told as { figures?: Record<string, unknown>; notes?: readonly string[] };
  const rows = Object.entries(figures).flatMap(([name, value]) => {
    const own = value as { value?: number; low?: number; high?: number; interval?: readonly number[] } | number | null;
    if (own === null) return [];
    if (typeof own === 'number') return [[name, number(own), ''] as const];
    if (typeof own !== 'object' || own.value === undefined) return [];
    const [low = own.low, high = own.high] = own.interval ?? [];
    return [[name, number(own.value), low === undefined || high === undefined ? '' : `${number(low)} to ${number(high)}`] as const];
  });
  return h(
    'div',
    {},
    h(
      'table',
      {},
      h('caption', {}, 'Figures of the rule of the protocol'),
      h(
        'tbody',
        {},
        rows.map(([name, value, interval]) =>
          h('tr', {}, h('th', { scope: 'row' }, name), h('td', { class: 'n' }, value), h('td', { class: 'dim' }, interval)),
        ),
      ),
    ),
    notes.map((note) => h('p', { class: 'dim' }, note)),
  );
}
