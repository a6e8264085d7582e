// Many talks: dropped as a file, measured with progress, counted, filtered and opened.
import type { Corpus, Measured, Protocol, Talk } from '../shared/asks.js';
import type { Client } from './client.js';
import { bins, frequencies, markersOf, rows, type Filter, type Order } from './columns.js';
import { notice } from './dialog.js';
import { byId, counted, download, fill, h, number, svg } from './dom.js';
import { labelsView } from './labels.js';
import type { State } from './state.js';

const BINS = 20;
/** Rows that are made at once. */
const PAGE = 100;

export interface ManyView {
  show(): void;
  load(name: string, text: string): Promise<void>;
  corpus(): Corpus | undefined;
}

export function manyView(state: State, slow: () => Promise<Client>, apart: () => Promise<Client>, openTalk: (talk: Talk) => void): ManyView {
  const root = byId('panel-many');
  const status = h('p', { role: 'status' });
  const bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Measuring' });
  const figures = h('div');
  const labels = h('div');
  const table = h('div');
  let corpus: Corpus | undefined;
  let measured: Measured | undefined;
  /** What was measured. */
  let of: Protocol | undefined;
  let running = false;
  let filter: Filter = { marker: undefined, role: undefined, least: 0, most: 1, text: '', unmeasured: true };
  let order: Order = 'place';
  let shown = PAGE;

  const again = h('button', { type: 'button', class: 'main', hidden: true, onclick: () => void measure() }, 'Measure again');
  const page = h('button', { type: 'button', hidden: true, onclick: () => void report() }, 'Report of all talks');
  fill(
    root,
    h(
      'p',
      { class: 'drop' },
      'Drop a file of talks anywhere, or ',
      h('button', { type: 'button', onclick: () => byId('file').click() }, 'choose one'),
      ': JSON lines (one talk on each line, with or without labels), or CSV or Parquet with a column named text. With columns named conversation and role, the rows of a conversation become its turns. Up to 50,000 talks; they stay in this page.',
    ),
    h('div', { class: 'head' }, status, again, page),
    bar,
    figures,
    labels,
    table,
  );

  async function measure(): Promise<void> {
    if (corpus === undefined || running || state.facts === undefined) return;
    running = true;
    bar.hidden = false;
    bar.value = 0;
    again.hidden = true;
    const protocol = state.protocol;
    try {
      measured = await (await slow()).ask('measure', protocol, (share) => (bar.value = share));
      of = protocol;
      shown = PAGE;
    } catch (error) {
      fill(status, h('span', { class: 'warn' }, `Not measured: ${error instanceof Error ? error.message : error}`));
      measured = undefined;
    }
    running = false;
    bar.hidden = true;
    draw();
    // It was changed meanwhile.
    if (state.protocol !== protocol) show();
  }

  async function report(): Promise<void> {
    if (corpus === undefined || of === undefined) return;
    page.disabled = true;
    try {
      download('report.html', await (await slow()).ask('overview', of), 'text/html');
    } catch (error) {
      notice(`No report: ${error instanceof Error ? error.message : error}`, true);
    }
    page.disabled = false;
  }

  function draw(): void {
    page.hidden = corpus === undefined || measured === undefined;
    if (corpus === undefined || measured === undefined) return;
    const none = [...measured.scores].filter((score) => Number.isNaN(score)).length - measured.failed;
    const sum = measured.scores.reduce((total, score) => (Number.isNaN(score) ? total : total + score), 0);
    const some = corpus.size - none - measured.failed;
    const rate = Math.round(corpus.size / Math.max(0.001, measured.took / 1000));
    fill(
      status,
      h('b', {}, corpus.name),
      `: ${counted(corpus.size, 'talk')}, mean score ${some === 0 ? 'none' : number(sum / some)}`,
      none > 0 ? `, ${none} too short to measure` : '',
      measured.failed > 0 ? `, ${measured.failed} not readable` : '',
      h('span', { class: 'dim' }, ` (${(measured.took / 1000).toFixed(1)} s, ${rate.toLocaleString('en')} a second)`),
      corpus.skipped.length === 0
        ? null
        : h(
            'details',
            {},
            h('summary', {}, `${counted(corpus.skipped.length, 'line')} skipped`),
            h(
              'ul',
              {},
              corpus.skipped.map((why) => h('li', {}, why)),
            ),
          ),
    );
    fill(figures, h('div', { class: 'two' }, histogram(measured.scores), markers(measured, corpus.size)));
    labelsView(labels, { corpus, measured, protocol: of ?? state.protocol }, slow, apart);
    drawTable();
  }

  function histogram(scores: Float64Array): HTMLElement {
    const counts = bins(scores, BINS);
    const most = Math.max(1, ...counts);
    const width = 640 / BINS;
    const columns = counts.map((many, at) => {
      const isIn = at / BINS >= filter.least - 1e-9 && (at + 1) / BINS <= filter.most + 1e-9 && (filter.least > 0 || filter.most < 1);
      return svg(
        'rect',
        { class: isIn ? 'column chosen' : 'column', x: at * width + 1, width: width - 2, y: 130 - (many / most) * 118, height: (many / most) * 118 },
        svg('title', {}, `${at / BINS} to ${(at + 1) / BINS}: ${many}`),
      );
    });
    return h(
      'figure',
      {},
      h('figcaption', {}, 'Scores'),
      svg(
        'svg',
        {
          viewBox: '0 0 640 150',
          role: 'img',
          'aria-label': `Histogram of the scores: ${counts
            .map((many, at) => (many > 0 ? `${many} from ${at / BINS}` : ''))
            .filter((text) => text !== '')
            .join(', ')}`,
        },
        columns,
        svg('line', { class: 'grid-line', x1: 0, x2: 640, y1: 130, y2: 130 }),
        svg('text', { x: 0, y: 146 }, '0'),
        svg('text', { x: 320, y: 146, 'text-anchor': 'middle' }, '0.5'),
        svg('text', { x: 640, y: 146, 'text-anchor': 'end' }, '1'),
      ),
    );
  }

  function markers(own: Measured, size: number): HTMLElement {
    const many = frequencies(own, size);
    const sorted = own.markers.map((marker, at) => ({ marker, at, many: many[at] ?? 0 })).sort((a, b) => b.many - a.many);
    const row = ({ marker, at, many }: (typeof sorted)[number]) => {
      const { hue, effect } = state.tones.of(marker);
      const choose = () => {
        filter = { ...filter, marker: filter.marker === at ? undefined : at };
        shown = PAGE;
        draw();
      };
      return h(
        'tr',
        { class: filter.marker === at ? 'on' : '' },
        h(
          'th',
          { scope: 'row' },
          h('span', { class: `dot ${effect}`, style: { '--h': hue } }),
          h('button', { type: 'button', class: 'plain', 'aria-pressed': String(filter.marker === at), onclick: choose }, marker),
        ),
        h(
          'td',
          { class: 'wide' },
          h('div', { class: 'meter' }, h('i', { class: `hued ${effect}`, style: { '--h': hue, width: `${(100 * many) / Math.max(1, size)}%` } })),
        ),
        h('td', { class: 'n' }, `${many} (${((100 * many) / Math.max(1, size)).toFixed(1)} %)`),
      );
    };
    return h(
      'div',
      {},
      h(
        'div',
        { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Markers by frequency' },
        h('table', {}, h('caption', {}, 'Markers by frequency'), h('tbody', {}, sorted.map(row))),
      ),
    );
  }

  function drawTable(): void {
    if (corpus === undefined || measured === undefined) return;
    const own = { corpus, measured };
    const change = (next: Partial<Filter>) => {
      filter = { ...filter, ...next };
      shown = PAGE;
    };
    const bound = (name: string, key: 'least' | 'most') =>
      h(
        'label',
        {},
        name,
        h('input', {
          type: 'number',
          min: 0,
          max: 1,
          step: 0.05,
          value: filter[key],
          onchange: (event: Event) => {
            change({ [key]: Number((event.target as HTMLInputElement).value) });
            draw();
          },
        }),
      );
    const pick = (name: string, names: readonly string[], now: number | undefined, key: 'marker' | 'role') =>
      h(
        'label',
        {},
        name,
        h(
          'select',
          {
            onchange: (event: Event) => {
              const { value } = event.target as HTMLSelectElement;
              change({ [key]: value === '' ? undefined : Number(value) });
              draw();
            },
          },
          h('option', { value: '' }, 'any'),
          names.map((own, at) => h('option', { value: at, selected: now === at }, own)),
        ),
      );
    const search = h('input', {
      type: 'search',
      value: filter.text,
      oninput: (event: Event) => {
        change({ text: (event.target as HTMLInputElement).value });
        redrawRows();
      },
    });
    const sort = (name: string, next: Order, other?: Order) =>
      h(
        'button',
        {
          type: 'button',
          onclick: () => {
            order = order === next ? (other ?? 'place') : next;
            drawTable();
          },
        },
        name,
        order === next ? ' ↓' : order === other ? ' ↑' : '',
      );
    const body = h('tbody');
    const told = h('span', { class: 'dim' });
    const more = h(
      'button',
      {
        type: 'button',
        onclick: () => {
          shown += PAGE;
          redrawRows();
        },
      },
      'More',
    );

    function redrawRows(): void {
      const now = rows(own.measured, own.corpus, filter, order);
      fill(
        body,
        [...now.subarray(0, shown)].map((row) => tableRow(row, own.corpus, own.measured)),
      );
      fill(told, `${now.length.toLocaleString('en')} of ${counted(own.corpus.size, 'talk')}`);
      more.hidden = now.length <= shown;
    }

    fill(
      table,
      h(
        'div',
        { class: 'filters' },
        pick('marker', measured.markers, filter.marker, 'marker'),
        pick('said by', corpus.roles, filter.role, 'role'),
        bound('score from', 'least'),
        bound('to', 'most'),
        h('label', {}, 'words', search),
        told,
      ),
      h(
        'div',
        { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Talks' },
        h(
          'table',
          { class: 'rows' },
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              h('th', {}, sort('talk', 'place')),
              h('th', { class: 'n' }, sort('score', 'down', 'up')),
              h('th', {}, sort('markers', 'found')),
              h('th', {}, 'begins'),
            ),
          ),
          body,
        ),
      ),
      more,
    );
    redrawRows();
  }

  function tableRow(row: number, from: Corpus, own: Measured): HTMLElement {
    const score = own.scores[row] ?? Number.NaN;
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, h('button', { type: 'button', class: 'why', onclick: () => void openRow(row) }, from.ids[row] ?? String(row + 1))),
      h('td', { class: 'n' }, Number.isNaN(score) ? 'none' : number(score)),
      h(
        'td',
        {},
        markersOf(own, row).map((at) => {
          const marker = own.markers[at] ?? '';
          const { hue, effect } = state.tones.of(marker);
          return h('span', { class: 'chip' }, h('span', { class: `dot ${effect}`, style: { '--h': hue } }), marker);
        }),
      ),
      h('td', { class: 'said dim' }, from.previews[row] ?? ''),
    );
  }

  async function openRow(row: number): Promise<void> {
    const talk = await (await slow()).ask('talk', { nth: row });
    openTalk(talk);
    byId('talk-title').scrollIntoView({ block: 'start' });
    byId('talk-title').focus();
  }

  function show(): void {
    if (corpus === undefined || running) return;
    // Measured with another version: small corpora are measured again at once, large ones when it is asked for.
    if (of === state.protocol) return;
    if (measured === undefined || measured.took < 1500) void measure();
    else again.hidden = false;
  }

  return {
    show,
    corpus: () => corpus,
    async load(name, text) {
      fill(status, `Reading ${name}…`);
      corpus = await (await slow()).ask('load', { name, text });
      measured = undefined;
      of = undefined;
      filter = { marker: undefined, role: undefined, least: 0, most: 1, text: '', unmeasured: true };
      order = 'place';
      if (corpus.size === 0) {
        fill(status, h('span', { class: 'warn' }, `${name} holds no talks: ${corpus.skipped[0] ?? 'it is empty'}`));
        fill(figures);
        fill(labels);
        fill(table);
        corpus = undefined;
        return;
      }
      await measure();
      state.tell('corpus');
    },
  };
}
