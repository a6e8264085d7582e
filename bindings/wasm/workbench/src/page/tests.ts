// The tests of the protocol, run while it is typed, and what no test needs.
import type { Coverage, Test } from '../shared/asks.js';
import { byId, counted, fill, h } from './dom.js';
import type { State } from './state.js';

export interface TestsView {
  show(): void;
  showCoverage(coverage: Coverage): void;
}

/** The passing tests that are listed; the failing ones all are. */
const MOST_PASSED = 60;

export function testsView(state: State, goTo: (line: number) => void, cover: () => void): TestsView {
  const root = byId('panel-tests');
  const summary = h('p', { role: 'status' });
  const list = h('div');
  const coverage = h('div');
  const button = h('button', { type: 'button', onclick: cover }, 'Measure coverage');
  fill(root, h('div', { class: 'head' }, summary, h('div', { class: 'actions' }, button)), h('div', { class: 'two' }, list, coverage));

  function row(test: Test): HTMLElement {
    return h(
      'li',
      { class: test.passed ? 'passes' : 'fails' },
      h('span', { class: 'mark' }, test.passed ? '✓' : '✗', h('span', { class: 'hidden' }, test.passed ? 'passes' : 'fails')),
      h('span', { class: 'dim' }, test.kind),
      h('button', { type: 'button', class: 'plain', onclick: () => goTo(test.line) }, test.of),
      h('span', { class: 'text' }, test.kind === 'dialogue' ? '' : test.text),
      test.why.map((why) => h('p', { class: 'why-not' }, why)),
    );
  }

  return {
    show() {
      const all = state.tests?.tests ?? [];
      const failed = all.filter((test) => !test.passed);
      const passed = all.filter((test) => test.passed);
      // What was covered was another version.
      fill(coverage);
      button.disabled = all.length === 0;
      if (all.length === 0) {
        fill(
          summary,
          state.facts?.kind === 'protocol' || state.facts === undefined
            ? 'No tests yet. Select words in the talk, and add them as a hit or a miss.'
            : `A ${state.facts.kind} has no tests of its own; its protocols have.`,
        );
        fill(list);
        return;
      }
      fill(
        summary,
        h('span', { class: 'good' }, `${passed.length} passed`),
        ', ',
        h('span', { class: failed.length > 0 ? 'warn' : 'dim' }, `${failed.length} failed`),
        state.isBroken ? h('span', { class: 'dim' }, ' by the last version without errors') : null,
      );
      const shown = [...failed, ...passed.slice(0, MOST_PASSED)];
      const more = passed.length > MOST_PASSED ? h('p', { class: 'dim' }, `and ${passed.length - MOST_PASSED} more that pass`) : null;
      fill(list, h('ul', { class: 'tests', 'aria-label': 'Tests' }, shown.map(row)), more);
    },
    showCoverage({ percent, mutants, noticed, unneeded }) {
      const item = (own: Coverage['unneeded'][number]) =>
        h(
          'tr',
          {},
          h('td', { class: 'dim' }, own.what),
          h('td', {}, own.of),
          h('td', {}, h('button', { type: 'button', class: 'plain', onclick: () => goTo(own.line) }, own.text)),
        );
      fill(
        coverage,
        h('h3', {}, `Coverage ${percent} %`),
        h('div', { class: 'meter' }, h('i', { style: { width: `${percent}%` } })),
        h('p', { class: 'dim' }, `${noticed} of ${counted(mutants, 'thing')} are missed by a test when taken away.`),
        unneeded.length === 0
          ? null
          : h(
              'div',
              { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'What no test needs' },
              h(
                'table',
                {},
                h('caption', { class: 'hidden' }, 'What no test needs'),
                h('thead', {}, h('tr', {}, h('th', {}, 'what'), h('th', {}, 'of'), h('th', {}, 'no test fails without'))),
                h('tbody', {}, unneeded.map(item)),
              ),
            ),
      );
    },
  };
}
