// Dives: a stage played by hand, its world and its counters; and cards, checked.
import type { CardTold, DiveState } from '../shared/asks.js';
import type { Client } from './client.js';
import { byId, download, fill, h, number } from './dom.js';
import type { State } from './state.js';

export interface DivesView {
  show(): Promise<void>;
  drop(card: string | undefined, log: string | undefined): void;
  openSource(source: string): void;
}

export function divesView(state: State, slow: () => Promise<Client>): DivesView {
  const root = byId('panel-dives');
  const select = h('select', { id: 'stage' });
  const seed = h('input', { type: 'number', id: 'seed', min: 0, value: 0 });
  const play = h('div', { id: 'dive' });
  const log = h('div', { id: 'dive-log' });
  const checked = h('div', { id: 'card-told', 'aria-live': 'polite' });
  const card = h('textarea', { id: 'card-text', spellcheck: 'false', placeholder: '{"agent":…' });
  const lines = h('textarea', { id: 'log-text', spellcheck: 'false' });
  const keys = h('textarea', { id: 'keys-text', spellcheck: 'false' });
  let own: string | undefined;
  let filled = false;

  fill(
    root,
    h(
      'div',
      { class: 'two' },
      h(
        'div',
        {},
        h('h3', {}, 'Play a stage'),
        h(
          'div',
          { class: 'filters' },
          h('label', { for: 'stage' }, 'stage', select),
          h('label', { for: 'seed' }, 'seed', seed),
          h('button', { type: 'button', class: 'main', id: 'dive-begin', onclick: () => void begin() }, 'Begin'),
        ),
        log,
        play,
      ),
      h(
        'div',
        {},
        h('h3', {}, 'Check a card'),
        h('p', { class: 'dim' }, 'Drop a card and its log anywhere, or paste them. The card is computed again from the log; public keys show who signed it.'),
        h('label', { for: 'card-text' }, 'card'),
        card,
        h('label', { for: 'log-text' }, 'log (if there is one)'),
        lines,
        h('label', { for: 'keys-text' }, 'public keys, one a line (if there are any)'),
        keys,
        h('p', {}, h('button', { type: 'button', class: 'main', id: 'card-check', onclick: () => void check() }, 'Check')),
        checked,
      ),
    ),
  );

  async function begin(): Promise<void> {
    fill(log);
    const stage = select.value === '' ? (own ?? '') : select.value;
    // The protocol of the editor may be what the stage is sensed by.
    const shelf = state.facts === undefined ? [] : [state.protocol.source];
    try {
      draw(await (await slow()).ask('dive', { stage, seed: Number(seed.value), shelf: own === undefined ? [] : shelf }));
    } catch (error) {
      fill(play, h('p', { class: 'warn' }, error instanceof Error ? error.message : String(error)));
    }
  }

  function draw(now: DiveState): void {
    const say = h('textarea', { id: 'action', 'aria-label': 'What you say', placeholder: 'What do you say?' });
    const act = async () => {
      const action = say.value.trim();
      if (action === '') return;
      try {
        const next = await (await slow()).ask('act', { action });
        const { measured } = next;
        log.append(
          h('p', { class: 'turn' }, h('b', {}, 'world '), now.world),
          h('p', { class: 'turn' }, h('b', {}, 'you '), action),
          measured === undefined
            ? ''
            : h(
                'p',
                { class: 'dim' },
                `score ${number(measured.score)}, ${measured.on_target ? 'on target' : 'off target'}, fidelity ${number(measured.fidelity)}`,
              ),
        );
        draw(next);
      } catch (error) {
        say.after(h('p', { class: 'warn' }, error instanceof Error ? error.message : String(error)));
      }
    };
    say.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.shiftKey) {
        event.preventDefault();
        void act();
      }
    });
    const chips = [
      ...now.checkpoints.map(({ name, reached }) => h('span', { class: reached ? 'chip reached' : 'chip' }, `${reached ? '✓ ' : ''}${name}`)),
      ...now.flags.filter(({ tripped }) => tripped).map(({ name }) => h('span', { class: 'chip tripped' }, `✗ ${name}`)),
    ];
    const counters = Object.entries(now.counters).map(([name, value]) => h('span', { class: 'chip' }, `${name} ${value}`));
    fill(
      play,
      h('p', {}, h('b', {}, now.name)),
      h('p', { class: 'dim' }, now.objective),
      h('p', { class: 'world', role: 'status' }, now.world),
      h('p', {}, chips),
      counters.length === 0 ? null : h('p', {}, h('span', { class: 'dim' }, 'world: '), counters),
      h(
        'p',
        { class: 'dim' },
        `${now.turn} of at most ${now.most} turns, mean score ${number(now.totals.score)}, ${number(now.totals.on_target * 100)} % on target, ${now.totals.ics} ICS`,
      ),
      now.done
        ? h('p', {}, h('b', {}, 'The dive is over.'))
        : [say, h('p', {}, h('button', { type: 'button', class: 'main', onclick: () => void act() }, 'Say it'))],
      now.turn === 0 ? null : h('button', { type: 'button', id: 'dive-close', onclick: () => void close() }, 'Close and show the card'),
    );
    if (now.turn > 0 && !now.done) say.focus();
  }

  async function close(): Promise<void> {
    const ended = await (await slow()).ask('close', null);
    card.value = ended.card;
    lines.value = ended.log;
    await check();
  }

  async function check(): Promise<void> {
    try {
      const told = await (await slow()).ask('card', { card: card.value, log: lines.value, keys: keys.value });
      fill(checked, cardView(told));
    } catch (error) {
      fill(checked, h('p', { class: 'warn' }, `The card does not hold: ${error instanceof Error ? error.message : error}`));
    }
  }

  function cardView({ card: read, json, checks }: CardTold): HTMLElement {
    const { verdict, totals, stage, readings } = read;
    return h(
      'div',
      {},
      h(
        'p',
        {},
        h('b', { class: verdict.passed ? 'good' : 'warn' }, verdict.passed ? 'passed' : 'not passed'),
        `: ${verdict.reason.replaceAll('_', ' ')}, ${stage.id}@${stage.version}`,
      ),
      h(
        'ul',
        { class: 'tests checks' },
        checks.map(({ what, holds, told }) =>
          h(
            'li',
            { class: holds ? 'passes' : 'fails' },
            h('span', { class: 'mark' }, holds ? '✓' : '✗'),
            h('span', {}, what),
            h('span', { class: 'text' }, told),
          ),
        ),
      ),
      h(
        'table',
        {},
        h('caption', { class: 'hidden' }, 'Card'),
        h(
          'tbody',
          {},
          (
            [
              ['turns', totals.turns],
              ['mean score', number(totals.score)],
              ['on target', number(totals.on_target)],
              ['ICS', totals.ics],
              ['checkpoints', verdict.checkpoints_hit.join(', ')],
              ['flags', verdict.flags_tripped.join(', ')],
              ['seed', read.seed],
              ['signed', read.signature === undefined ? 'no' : 'yes'],
            ] as const
          ).map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, String(value)))),
        ),
      ),
      readings === undefined
        ? null
        : h(
            'details',
            {},
            h('summary', {}, 'Readings of each action'),
            h(
              'table',
              {},
              h('thead', {}, h('tr', {}, h('th', {}, 'turn'), h('th', { class: 'n' }, 'score'), h('th', {}, 'on target'))),
              h(
                'tbody',
                {},
                readings.map((own, at) =>
                  h('tr', {}, h('td', {}, String(at + 1)), h('td', { class: 'n' }, number(own.score)), h('td', {}, own.on_target ? 'yes' : 'no')),
                ),
              ),
            ),
          ),
      h('button', { type: 'button', onclick: () => download('card.json', json, 'application/json') }, 'The card as a file'),
    );
  }

  return {
    async show() {
      if (filled) return;
      filled = true;
      const stages = await (await slow()).ask('stages', null);
      fill(
        select,
        own === undefined ? null : h('option', { value: '' }, 'the file that was opened'),
        stages.map(({ id, version, name }) => h('option', { value: `${id}@${version}` }, `${name} (${id})`)),
      );
    },
    drop(text, dropped) {
      if (text !== undefined) card.value = text;
      if (dropped !== undefined) lines.value = dropped;
      if (card.value !== '') void check();
    },
    openSource(source) {
      own = source;
      filled = false;
      void this.show().then(() => {
        select.value = '';
        return begin();
      });
    },
  };
}
