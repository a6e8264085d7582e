// The reading: score, fidelity, a bar for each marker, evidence and what nearly was found. Every number says why when it is clicked.
import type { Reading } from 'sonometer';
import { byId, counted, fill, h, number } from './dom.js';
import type { State } from './state.js';
import type { Mark } from './talk.js';
import { said } from './tones.js';

/** What the reader asks about: a marker, the score or the fidelity. */
export type Why = { readonly of: 'score' } | { readonly of: 'fidelity' } | { readonly of: 'marker'; readonly marker: string };

export interface ReadingView {
  show(marks: readonly Mark[]): void;
}

/** Rows of evidence that are made; a long talk has more than anybody reads, and each keystroke makes them anew. */
const MOST_ROWS = 40;

export function readingView(state: State, why: (why: Why) => void, goTo: (mark: Mark) => void): ReadingView {
  const root = byId('reading');
  const open = { evidence: true, nearly: true };

  function value(text: string, about: Why, label: string): HTMLElement {
    return h('button', { type: 'button', class: 'why', 'aria-label': `${label} ${text}: why?`, onclick: () => why(about) }, text);
  }

  function head(reading: Reading): HTMLElement {
    const { score, fidelity } = reading;
    const shown =
      score === null
        ? h('span', { class: 'value warn' }, 'too little to measure')
        : h('span', { class: 'value' }, value(number(score), { of: 'score' }, 'score'));
    return h(
      'div',
      { class: 'big' },
      shown,
      h(
        'span',
        {},
        'fidelity ',
        value(number(fidelity.index), { of: 'fidelity' }, 'fidelity'),
        fidelity.sufficient ? '' : h('span', { class: 'warn' }, ' not sufficient'),
      ),
      h('span', { class: 'dim' }, `${reading.ics.consumed} ICS`),
    );
  }

  function bars(reading: Reading): HTMLElement {
    const triggered = new Set(reading.ics.markers ?? []);
    const entries = Object.entries(reading.resonance);
    const sounding = entries.filter(([, strength]) => strength > 0);
    const silent = entries.filter(([, strength]) => strength === 0).map(([marker]) => marker);
    const row = ([marker, strength]: [string, number]) => {
      const { hue, effect } = state.tones.of(marker);
      return h(
        'tr',
        { class: triggered.has(marker) ? 'on' : 'off' },
        h(
          'th',
          { scope: 'row' },
          h('span', { class: `dot ${effect}`, style: { '--h': hue } }),
          marker,
          h('span', { class: 'hidden' }, `, ${said(effect)}`),
        ),
        h(
          'td',
          { class: 'wide' },
          h('div', { class: 'meter' }, h('i', { class: `hued ${effect}`, style: { '--h': hue, width: `${strength * 100}%` } })),
        ),
        h('td', { class: 'n' }, value(number(strength), { of: 'marker', marker }, marker)),
      );
    };
    return h(
      'div',
      {},
      sounding.length === 0 ? null : h('table', {}, h('caption', { class: 'hidden' }, 'Markers'), h('tbody', {}, sounding.map(row))),
      silent.length === 0
        ? null
        : h(
            'p',
            { class: 'dim' },
            `${counted(silent.length, 'marker')} silent: `,
            silent.flatMap((marker, at) => [at === 0 ? '' : ', ', value(marker, { of: 'marker', marker }, 'marker')]),
          ),
    );
  }

  function list(title: string, key: 'evidence' | 'nearly', marks: readonly Mark[], cell: (mark: Mark) => string): HTMLElement | null {
    if (marks.length === 0) return null;
    const row = (mark: Mark) => {
      const { hue, effect } = state.tones.of(mark.marker);
      const text = state.text.slice(mark.from, mark.to);
      return h(
        'tr',
        {},
        h('td', {}, h('span', { class: `dot ${effect}`, style: { '--h': hue } }), mark.marker),
        h(
          'td',
          {},
          mark.to > mark.from
            ? h('button', { type: 'button', class: 'plain', onclick: () => goTo(mark) }, `“${text.length > 90 ? `${text.slice(0, 89)}…` : text}”`)
            : '',
        ),
        h('td', { class: key === 'evidence' ? 'n' : 'dim' }, cell(mark)),
      );
    };
    const more = marks.length > MOST_ROWS ? h('p', { class: 'dim' }, `and ${marks.length - MOST_ROWS} more`) : null;
    const details = h(
      'details',
      { open: open[key] },
      h('summary', {}, `${title} (${marks.length})`),
      h('table', {}, h('tbody', {}, marks.slice(0, MOST_ROWS).map(row))),
      more,
    );
    details.addEventListener('toggle', () => (open[key] = details.open));
    return details;
  }

  /** Sides and course, of protocols on SGM 1.5. */
  function dynamics(reading: Reading): HTMLElement | null {
    const { signal, actant_flow: flow, temporal } = reading;
    if (signal === undefined && flow === undefined && temporal === undefined) return null;
    const names = (markers: readonly string[]) => (markers.length === 0 ? 'nothing' : markers.join(', '));
    return h(
      'dl',
      { class: 'facts' },
      signal && [
        h('dt', {}, 'signal'),
        h('dd', {}, `spread ${number(signal.spread)}, coherence ${number(signal.coherence)}, dominant mode ${signal.dominant_mode ?? 'none'}`),
      ],
      flow && [
        h('dt', {}, 'who drives'),
        h(
          'dd',
          {},
          `primary side: ${names(flow.primary_driven)}; other side: ${names(flow.secondary_driven)}; ${flow.direction.replaceAll('_', ' ')}, balance ${number(flow.balance)}`,
        ),
      ],
      temporal && [h('dt', {}, 'course'), h('dd', {}, `${temporal.trend}, ${counted(temporal.phase_shifts, 'phase shift')}`)],
    );
  }

  function parts(reading: Reading): HTMLElement | null {
    const all = [
      ...(reading.components ?? []).map((part) => ({ id: part.protocol_id, version: part.version, score: part.score })),
      ...(reading.protocols ?? []),
      ...(reading.metrics ?? []),
    ];
    if (all.length === 0) return null;
    const row = (part: (typeof all)[number]) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, `${part.id}@${part.version}`),
        h('td', { class: 'wide' }, h('div', { class: 'meter' }, h('i', { style: { width: `${(part.score ?? 0) * 100}%` } }))),
        h('td', { class: 'n' }, part.score === null ? 'none' : number(part.score)),
      );
    return h('table', {}, h('caption', { class: 'hidden' }, 'Parts'), h('tbody', {}, all.map(row)));
  }

  return {
    show(marks) {
      const { reading, facts } = state;
      if (reading === undefined) {
        fill(root, h('p', { class: 'warn' }, state.unread === '' ? 'Nothing to measure yet: write a talk.' : state.unread));
        return;
      }
      const unplaced: Mark[] = (reading.weak_signals ?? [])
        .filter((own) => own.start === undefined)
        .map((own) => ({ from: 0, to: 0, marker: own.metamarker, score: own.score, kind: 'weak', told: own.hint }));
      const unheard = (reading.unheard ?? []).map(({ metamarker, roles }) =>
        h('p', { class: 'dim' }, `${metamarker} listens to ${roles.join(', ')}, and nobody here has that role`),
      );
      fill(
        root,
        head(reading),
        h('p', { class: 'dim' }, facts?.meaning ?? ''),
        parts(reading),
        bars(reading),
        unheard,
        list(
          'Evidence',
          'evidence',
          marks.filter(({ kind }) => kind === 'evidence'),
          (mark) => number(mark.score ?? 0),
        ),
        list('Nearly found', 'nearly', [...marks.filter(({ kind }) => kind === 'weak'), ...unplaced], (mark) => mark.told),
        list(
          'Counts against',
          'nearly',
          marks.filter(({ kind }) => kind === 'against'),
          (mark) => number(mark.score ?? 0),
        ),
        dynamics(reading),
      );
    },
  };
}
