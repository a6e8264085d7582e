// The course of a talk: the score after each turn, what each turn adds, and who gives the evidence.
import type { Course } from '../shared/asks.js';
import { byId, counted, fill, h, number, svg } from './dom.js';

const WIDTH = 640;
const HEIGHT = 210;
/** The height of the part for what each turn adds. */
const BAND = 46;
const EDGE = 26;

export function courseView(goTo: (turn: number) => void): { show(course: Course | undefined): void } {
  const root = byId('panel-course');

  function curve({ scores, turns }: Course): SVGElement {
    const x = (at: number) => EDGE + ((at + 0.5) * (WIDTH - EDGE)) / Math.max(1, scores.length);
    const y = (value: number) => HEIGHT - BAND - 26 - value * (HEIGHT - BAND - 40);
    const most = Math.max(1, ...turns.map(({ improves, worsens }) => Math.max(improves, worsens)));
    const step = (WIDTH - EDGE) / Math.max(1, scores.length);
    const path = scores.flatMap((score, at) => (score === null ? [] : [`${x(at).toFixed(1)},${y(score).toFixed(1)}`]));
    const lines = [0, 0.5, 1].map((value) => [
      svg('line', { class: 'grid-line', x1: EDGE, x2: WIDTH, y1: y(value), y2: y(value) }),
      svg('text', { x: 0, y: y(value) + 4 }, String(value)),
    ]);
    const bars = turns.flatMap(({ improves, worsens }, at) => [
      svg('rect', {
        class: 'up',
        x: x(at) - step * 0.2,
        width: step * 0.18,
        y: HEIGHT - 18 - (improves / most) * BAND,
        height: (improves / most) * BAND,
      }),
      svg('rect', {
        class: 'down',
        x: x(at) + step * 0.02,
        width: step * 0.18,
        y: HEIGHT - 18 - (worsens / most) * BAND,
        height: (worsens / most) * BAND,
      }),
    ]);
    const dots = scores.flatMap((score, at) =>
      score === null || scores.length > 60
        ? []
        : [svg('circle', { class: 'column', cx: x(at), cy: y(score), r: 3 }, svg('title', {}, `after turn ${at + 1}: ${number(score)}`))],
    );
    const last = scores.findLast((score) => score !== null);
    return svg(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: 'img',
        'aria-label': `Score after each of ${counted(scores.length, 'turn')}, in the end ${last === undefined || last === null ? 'none' : number(last)}`,
      },
      lines.flat(),
      svg('line', { class: 'grid-line', x1: EDGE, x2: WIDTH, y1: HEIGHT - 18, y2: HEIGHT - 18 }),
      bars,
      svg('polyline', { class: 'curve', points: path.join(' ') }),
      dots,
      svg('text', { x: EDGE, y: HEIGHT - 3 }, 'first turn'),
      svg('text', { x: WIDTH, y: HEIGHT - 3, 'text-anchor': 'end' }, `turn ${scores.length}`),
    );
  }

  return {
    show(course) {
      if (course === undefined || course.scores.length === 0) {
        fill(root, h('p', { class: 'dim' }, 'This view needs turns: write the talk in lines such as “agent: Hello.”, and choose Turns.'));
        return;
      }
      const shares = Object.entries(course.driven).sort(([, a], [, b]) => b - a);
      const sum = shares.reduce((total, [, own]) => total + own, 0);
      const rows = course.turns.flatMap((turn, at) => (turn.improves + turn.worsens > 0 ? [{ ...turn, at }] : [])).slice(0, 100);
      fill(
        root,
        h(
          'div',
          { class: 'two' },
          h('figure', {}, h('figcaption', {}, 'Score after each turn; below it what each turn adds (left good news, right bad news)'), curve(course)),
          h(
            'div',
            {},
            h('h3', {}, 'Who gives the evidence'),
            shares.length === 0
              ? h('p', { class: 'dim' }, 'Nobody: nothing was found.')
              : h(
                  'table',
                  {},
                  h('caption', { class: 'hidden' }, 'Evidence by role'),
                  h(
                    'tbody',
                    {},
                    shares.map(([role, many]) =>
                      h(
                        'tr',
                        {},
                        h('th', { scope: 'row' }, role),
                        h('td', { class: 'wide' }, h('div', { class: 'meter' }, h('i', { style: { width: `${(many / sum) * 100}%` } }))),
                        h('td', { class: 'n' }, `${many} of ${sum}`),
                      ),
                    ),
                  ),
                ),
            rows.length === 0
              ? null
              : [
                  h('h3', {}, 'Turns with evidence'),
                  h(
                    'div',
                    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Turns with evidence' },
                    h(
                      'table',
                      {},
                      h(
                        'thead',
                        {},
                        h(
                          'tr',
                          {},
                          h('th', {}, 'turn'),
                          h('th', {}, 'role'),
                          h('th', { class: 'n' }, 'good news'),
                          h('th', { class: 'n' }, 'bad news'),
                          h('th', { class: 'n' }, 'score then'),
                        ),
                      ),
                      h(
                        'tbody',
                        {},
                        rows.map((row) =>
                          h(
                            'tr',
                            {},
                            h('td', {}, h('button', { type: 'button', class: 'why', onclick: () => goTo(row.at) }, String(row.at + 1))),
                            h('td', {}, row.role),
                            h('td', { class: 'n' }, number(row.improves)),
                            h('td', { class: 'n' }, number(row.worsens)),
                            h('td', { class: 'n' }, course.scores[row.at] === null ? 'none' : number(course.scores[row.at] ?? 0)),
                          ),
                        ),
                      ),
                    ),
                  ),
                ],
          ),
        ),
      );
    },
  };
}
