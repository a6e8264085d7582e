// Keys of the page as a whole.
import type { App } from './app.js';
import { dialog } from './dialog.js';
import { h } from './dom.js';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl+S', 'save the protocol: to its file if the page was opened by `sonometer workbench`, else as a download'],
  ['Alt+Enter', 'apply the fix of the finding at the cursor, or of the first that has one'],
  ['Alt+H', 'add the selected words (or the line) of the talk as a hit'],
  ['Alt+M', 'add them as a miss'],
  ['Alt+D', 'add the talk as a dialogue that expects what is found now'],
  ['Alt+F', 'format the protocol'],
  ['Alt+K', 'keep this version as the baseline'],
  ['Ctrl+Space', 'complete'],
  ['Tab', 'take a completion; otherwise on to the next part of the page'],
];

export class Keyboard {
  constructor(app: App) {
    const acts: Readonly<Record<string, () => void>> = {
      h: () => app.adding.line('hit'),
      m: () => app.adding.line('miss'),
      d: () => app.adding.dialogue(),
      f: () => void app.format(),
      k: () => app.keep(),
    };
    document.addEventListener('keydown', (event) => {
      if (event.altKey && !event.ctrlKey && !event.metaKey) {
        const act = acts[event.key.toLowerCase()] ?? acts[event.code.replace('Key', '').toLowerCase()];
        if (act === undefined) return;
        event.preventDefault();
        act();
      } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
        event.preventDefault();
        void app.saving.save();
      }
    });
  }

  static help(): void {
    dialog(
      'How this works',
      h(
        'div',
        {},
        h(
          'p',
          {},
          'On the left you write a protocol: what to listen for. On the right you write or paste a talk, and see at once what is found in it and why. Click a number to see how it came about. Below are the tests of the protocol.',
        ),
        h('p', {}, 'In the talk, good news is underlined and bad news is hatched with a wavy line; what was nearly found is dotted.'),
        h('h3', {}, 'Keys'),
        h(
          'table',
          {},
          h(
            'tbody',
            {},
            KEYS.map(([key, told]) => h('tr', {}, h('th', {}, h('kbd', {}, key)), h('td', {}, told))),
          ),
        ),
        h('h3', {}, 'Files'),
        h(
          'p',
          {},
          'Drop files anywhere: a protocol or stage (.yaml), a talk (.json, .txt), list files that the protocol names, many talks (.jsonl, .csv, .parquet), the card of a dive (.json) with its log (.jsonl).',
        ),
        h('p', { class: 'dim' }, 'The engine runs in this page. Nothing is sent anywhere. A shared link contains the protocol and the talk.'),
      ),
    );
  }
}
