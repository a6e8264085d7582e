// Two versions of a protocol side by side: which talks moved, and by which evidence.
import type { Evidence } from 'sonometer';
import type { Corpus, Measured, Protocol, Talk } from '../shared/asks.js';
import type { Client } from './client.js';
import { byId, counted, fill, h, number } from './dom.js';
import { frequencies } from './columns.js';
import type { State } from './state.js';

const MOST_ROWS = 200;
/** A smaller change of a score is none. */
const LEAST = 5e-7;

export interface VersionsView {
  show(): Promise<void>;
}

export function versionsView(
  state: State,
  slow: () => Promise<Client>,
  corpus: () => Corpus | undefined,
  does: { readonly openTalk: (talk: Talk) => void; readonly restore: (source: string) => void },
): VersionsView {
  const root = byId('panel-versions');
  const told = h('p', { role: 'status' });
  const talk = h('div');
  const many = h('div');
  let before: { readonly protocol: Protocol; readonly corpus: Corpus; readonly measured: Measured } | undefined;
  let after: typeof before;
  fill(
    root,
    told,
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'button', onclick: () => byId('keep').click() }, 'Keep this version as the baseline'),
      h(
        'button',
        { type: 'button', onclick: () => state.baseline !== undefined && does.restore(state.baseline.protocol.source) },
        'Back to the baseline',
      ),
      h('button', { type: 'button', id: 'compare-many', onclick: () => void showMany() }, 'Compare on the many talks'),
    ),
    talk,
    many,
  );

  function changes(kind: string, evidence: readonly Evidence[]): Node[] {
    return evidence.slice(0, 20).map((own) => {
      const { hue, effect } = state.tones.of(own.metamarker);
      return h(
        'p',
        { class: 'turn' },
        h('b', { class: kind === '+' ? 'good' : 'warn' }, kind === '+' ? '+ found ' : '− lost '),
        h('span', { class: `dot ${effect}`, style: { '--h': hue } }),
        `${own.metamarker} `,
        h('mark', { class: effect, style: { '--h': hue } }, own.source),
        h('span', { class: 'dim' }, ` ${number(own.score)}`),
      );
    });
  }

  async function of(which: Talk | number): Promise<Node[]> {
    const { baseline, protocol } = state;
    if (baseline === undefined) return [];
    const { before: then, after: now, lost, gained } = await (await slow()).ask('moved', { before: baseline.protocol, after: protocol, talk: which });
    const names = [...new Set([...Object.keys(then.resonance), ...Object.keys(now.resonance)])];
    const moved = names.filter((name) => then.resonance[name] !== now.resonance[name]);
    const cell = (value: number | null | undefined) => h('td', { class: 'n' }, value === null || value === undefined ? 'none' : number(value));
    const row = (name: string, a: number | null | undefined, b: number | null | undefined) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, name),
        cell(a),
        cell(b),
        h(
          'td',
          { class: `n ${(b ?? 0) > (a ?? 0) ? 'good' : 'warn'}` },
          typeof a === 'number' && typeof b === 'number' && a !== b ? `${b > a ? '+' : '−'}${number(Math.abs(b - a))}` : '',
        ),
      );
    return [
      h(
        'table',
        {},
        h('caption', { class: 'hidden' }, 'Before and now'),
        h(
          'thead',
          {},
          h('tr', {}, h('td', {}), h('th', { class: 'n' }, 'baseline'), h('th', { class: 'n' }, 'now'), h('th', { class: 'n' }, 'change')),
        ),
        h(
          'tbody',
          {},
          row('score', then.score, now.score),
          row('fidelity', then.fidelity.index, now.fidelity.index),
          moved.map((name) => row(name, then.resonance[name], now.resonance[name])),
        ),
      ),
      ...(lost.length + gained.length === 0 ? [h('p', { class: 'dim' }, 'The same evidence.')] : [...changes('+', gained), ...changes('−', lost)]),
    ];
  }

  async function showMany(): Promise<void> {
    const own = corpus();
    const { baseline, protocol } = state;
    if (own === undefined || baseline === undefined) return;
    const bar = h('progress', { max: 2, value: 0, 'aria-label': 'Measuring' });
    fill(many, bar);
    const client = await slow();
    const measure = async (which: Protocol, offset: number, known: typeof before) => {
      if (known?.protocol === which && known.corpus === own) return known;
      return { protocol: which, corpus: own, measured: await client.ask('measure', which, (share) => (bar.value = offset + share)) };
    };
    before = await measure(baseline.protocol, 0, before);
    after = await measure(protocol, 1, after);
    drawMany(own, before.measured, after.measured);
  }

  function drawMany(own: Corpus, then: Measured, now: Measured): void {
    const change = (row: number) => {
      const [a = Number.NaN, b = Number.NaN] = [then.scores[row], now.scores[row]];
      if (Number.isNaN(a) && Number.isNaN(b)) return 0;
      return (Number.isNaN(b) ? 0 : b) - (Number.isNaN(a) ? 0 : a);
    };
    const moved = own.ids
      .map((_, row) => row)
      .filter((row) => Math.abs(change(row)) > LEAST)
      .sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)) || a - b);
    const mean = moved.reduce((sum, row) => sum + change(row), 0) / Math.max(1, own.size);
    const [a, b] = [frequencies(then, own.size), frequencies(now, own.size)];
    const names = [...new Set([...then.markers, ...now.markers])];
    const count = (measured: Measured, counts: number[], name: string) => counts[measured.markers.indexOf(name)] ?? 0;
    const changed = names.filter((name) => count(then, a, name) !== count(now, b, name));
    const details = h('div');
    const open = async (row: number) => {
      fill(
        details,
        h('h3', {}, own.ids[row] ?? ''),
        await of(row),
        h('button', { type: 'button', onclick: () => void openRow(row) }, 'Open this talk'),
      );
    };
    const line = (row: number) => {
      const difference = change(row);
      return h(
        'tr',
        {},
        h('th', { scope: 'row' }, h('button', { type: 'button', class: 'why', onclick: () => void open(row) }, own.ids[row] ?? '')),
        h('td', { class: `n ${difference > 0 ? 'good' : 'warn'}` }, `${difference > 0 ? '+' : '−'}${number(Math.abs(difference))}`),
        h('td', { class: 'dim' }, own.previews[row] ?? ''),
      );
    };
    fill(
      many,
      h(
        'h3',
        {},
        `${moved.length.toLocaleString('en')} of ${counted(own.size, 'talk')} moved, mean change of the score ${mean >= 0 ? '+' : '−'}${number(Math.abs(mean))}`,
      ),
      changed.length === 0
        ? null
        : h(
            'p',
            {},
            changed.map((name) => h('span', { class: 'chip' }, `${name} ${count(then, a, name)} → ${count(now, b, name)}`)),
          ),
      moved.length === 0
        ? null
        : h(
            'div',
            { class: 'two' },
            h(
              'div',
              { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Talks that moved' },
              h(
                'table',
                { class: 'rows' },
                h('thead', {}, h('tr', {}, h('th', {}, 'talk'), h('th', { class: 'n' }, 'change'), h('th', {}, 'begins'))),
                h('tbody', {}, moved.slice(0, MOST_ROWS).map(line)),
              ),
            ),
            details,
          ),
    );
    const [first] = moved;
    if (first !== undefined) void open(first);
  }

  async function openRow(row: number): Promise<void> {
    const own = await (await slow()).ask('talk', { nth: row });
    does.openTalk(own);
    byId('talk-title').focus();
  }

  return {
    async show() {
      const { baseline } = state;
      const own = corpus();
      byId<HTMLButtonElement>('compare-many').disabled = baseline === undefined || own === undefined;
      if (baseline === undefined) {
        fill(told, 'Keep the protocol as the baseline, then change it: this view shows what the change does to the talk and to the many talks.');
        fill(talk);
        fill(many);
        return;
      }
      fill(
        told,
        h('b', {}, baseline.name),
        ' against the version in the editor',
        own === undefined ? '; load many talks to compare on them too.' : '.',
      );
      try {
        fill(talk, h('h3', {}, 'The talk above'), await of(state.input));
      } catch (error) {
        fill(talk, h('p', { class: 'warn' }, error instanceof Error ? error.message : String(error)));
      }
    },
  };
}
