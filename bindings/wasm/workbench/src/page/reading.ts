// The reading: score, fidelity, a bar for each marker, evidence and what nearly was found. Every number says why when it is clicked.
import type { Reading } from 'sonometer';
import { byId, counted, fill, h, kept, number } from './dom.js';
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

  /** Marks as they are now, by list: the rows stay while only places move. */
  const now = new Map<string, readonly Mark[]>();

  function list(title: string, key: 'evidence' | 'nearly', marks: readonly Mark[], cell: (mark: Mark) => string): HTMLElement | null {
    if (marks.length === 0) return null;
    const row = (mark: Mark, at: number) => {
      const { hue, effect } = state.tones.of(mark.marker);
      const own = () => now.get(title)?.[at] ?? mark;
      return h(
        'tr',
        {},
        h('td', {}, h('span', { class: `dot ${effect}`, style: { '--h': hue } }), mark.marker),
        h('td', {}, mark.to > mark.from ? h('button', { type: 'button', class: 'plain', onclick: () => goTo(own()) }, `“${excerpt(mark)}”`) : ''),
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

  function excerpt({ from, to }: Mark): string {
    const text = state.text.slice(from, to);
    return text.length > 90 ? `${text.slice(0, 89)}…` : text;
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

  const parted = {
    head: kept(),
    bars: kept(),
    unheard: kept(),
    evidence: kept(),
    nearly: kept(),
    against: kept(),
    dynamics: kept(),
  };
  const whole = Object.values(parted).map(({ element }) => element);

  /** A list, made anew where a row says something else. */
  function rows(part: keyof typeof parted, title: string, key: 'evidence' | 'nearly', marks: readonly Mark[], cell: (mark: Mark) => string): void {
    now.set(title, marks);
    const told = marks.slice(0, MOST_ROWS).map((mark) => [mark.marker, mark.to > mark.from ? excerpt(mark) : '', cell(mark)]);
    parted[part].show([told, marks.length, tones()], () => list(title, key, marks, cell));
  }

  /** What the colours of markers depend on. */
  const tones = () => [state.facts?.markers, state.facts?.effects];

  return {
    show(marks) {
      const { reading, facts } = state;
      if (reading === undefined) {
        fill(root, h('p', { class: 'warn' }, state.unread === '' ? 'Nothing to measure yet: write a talk.' : state.unread));
        return;
      }
      if (parted.head.element.parentElement !== root) fill(root, whole);
      const { score, fidelity, ics, resonance, components, protocols, metrics, signal, actant_flow: flow, temporal, unheard = [] } = reading;
      parted.head.show([score, fidelity, ics.consumed, facts?.meaning, components, protocols, metrics], () => [
        head(reading),
        h('p', { class: 'dim' }, facts?.meaning ?? ''),
        parts(reading),
      ]);
      parted.bars.show([resonance, ics.markers, tones()], () => bars(reading));
      parted.unheard.show(unheard, () =>
        unheard.map(({ metamarker, roles }) => h('p', { class: 'dim' }, `${metamarker} listens to ${roles.join(', ')}, and nobody here has that role`)),
      );
      const unplaced: Mark[] = (reading.weak_signals ?? [])
        .filter((own) => own.start === undefined)
        .map((own) => ({ from: 0, to: 0, marker: own.metamarker, score: own.score, kind: 'weak', told: own.hint }));
      const of = (wanted: Mark['kind']) => marks.filter(({ kind }) => kind === wanted);
      rows('evidence', 'Evidence', 'evidence', of('evidence'), (mark) => number(mark.score ?? 0));
      rows('nearly', 'Nearly found', 'nearly', [...of('weak'), ...unplaced], (mark) => mark.told);
      rows('against', 'Counts against', 'nearly', of('against'), (mark) => number(mark.score ?? 0));
      parted.dynamics.show([signal, flow, temporal], () => dynamics(reading));
    },
  };
}
