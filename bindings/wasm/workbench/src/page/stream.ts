// The talk as it would be shown: with its masks, and as it comes in word by word through a guard.
import type { Streamed } from '../shared/asks.js';
import { byId, counted, fill, h } from './dom.js';
import type { State } from './state.js';

const MASKS: readonly (readonly [string, string])[] = [
  ['', 'as the protocol says'],
  ['stars', 'stars'],
  ['last4', 'last 4 stay'],
  ['first1', 'first 1 stays'],
  ['label', '<LABEL>'],
  ['numbered', '<LABEL_1>'],
  ['keyed', '<LABEL_3f9a…>'],
  ['remove', 'removed'],
];

export interface StreamView {
  readonly mask: () => string;
  showMasked(turns: readonly string[], trouble?: string): void;
  showStream(steps: readonly Streamed[], trouble?: string): void;
}

export function streamView(state: State, asked: () => void): StreamView {
  const root = byId('panel-stream');
  const select = h(
    'select',
    { id: 'mask', onchange: asked },
    MASKS.map(([value, name]) => h('option', { value }, name)),
  );
  const masked = h('div', { id: 'masked' });
  const range = h('input', { type: 'range', id: 'step', min: '0', value: '0', 'aria-label': 'Words that came in' });
  const play = h('button', { type: 'button' }, 'Play');
  const told = h('p', { class: 'dim', id: 'stream-told' });
  const shown = h('div', { id: 'streamed' });
  let steps: readonly Streamed[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;
  fill(
    root,
    h(
      'div',
      { class: 'two' },
      h('div', {}, h('div', { class: 'filters' }, h('label', { for: 'mask' }, 'Masks', select)), masked),
      h(
        'div',
        {},
        h('div', { class: 'head' }, h('h3', {}, 'Through a guard, word by word'), h('div', { class: 'actions' }, play)),
        range,
        told,
        shown,
      ),
    ),
  );

  const role = (at: number) => (state.talk.turns.length === 0 ? null : h('b', { class: 'role' }, `${state.talk.turns[at]?.role ?? ''} `));

  function draw(): void {
    const at = Math.min(Number(range.value), steps.length - 1);
    const step = steps[at];
    if (step === undefined) {
      fill(shown);
      fill(told, 'Nothing came in yet.');
      return;
    }
    // What is held back is not shown to the reader of a guarded talk; here it is, in grey.
    const came: string[] = [];
    for (const one of steps.slice(0, at + 1)) came[one.segment] = (came[one.segment] ?? '') + one.chunk;
    const events = steps.slice(0, at + 1).flatMap((one) => one.events);
    fill(
      told,
      `Word ${at + 1} of ${steps.length}: ${step.held === 0 ? 'nothing is held back' : `${counted(step.held, 'character')} held back`}. `,
      events.at(-1) ?? '',
    );
    const turns = step.released.map((text, turn) => {
      if ((came[turn] ?? '') === '') return null;
      const isLast = turn === came.length - 1;
      const held = isLast ? (came[turn] ?? '').slice(Math.max(0, (came[turn] ?? '').length - step.held)) : '';
      return h('p', { class: 'turn', dir: 'auto' }, role(turn), text, held === '' ? null : h('span', { class: 'held', title: 'held back' }, held));
    });
    fill(shown, turns);
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    fill(play, 'Play');
  }
  range.addEventListener('input', () => {
    stop();
    draw();
  });
  play.addEventListener('click', () => {
    if (timer !== undefined) {
      stop();
      return;
    }
    if (Number(range.value) >= steps.length - 1) range.value = '0';
    fill(play, 'Pause');
    timer = setInterval(() => {
      range.value = String(Number(range.value) + 1);
      draw();
      if (Number(range.value) >= steps.length - 1) stop();
    }, 90);
  });

  return {
    mask: () => select.value,
    showMasked(turns, trouble) {
      if (trouble !== undefined) fill(masked, h('p', { class: 'warn' }, trouble));
      else
        fill(
          masked,
          turns.map((text, at) => h('p', { class: 'turn', dir: 'auto' }, role(at), text)),
        );
    },
    showStream(next, trouble) {
      stop();
      // A place that was chosen stays. The end of the old steps becomes the end of the new ones.
      const wasAtEnd = Number(range.value) >= steps.length - 1;
      steps = next;
      range.max = String(Math.max(0, next.length - 1));
      if (wasAtEnd) range.value = range.max;
      if (trouble !== undefined) {
        fill(told, h('span', { class: 'warn' }, trouble));
        fill(shown);
      } else draw();
    },
  };
}
