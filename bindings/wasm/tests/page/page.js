// What the tests in Chromium call. Nothing here is inline, so that the strictest policy allows it.
import * as sonometer from '/package/web.js';
import { answer } from '/tests/answer.mjs';
import { misuse } from '/tests/misuse.mjs';

window.door = {
  sonometer,

  /** Loads the engine, and tells what happened. */
  async load(source) {
    try {
      await sonometer.init(source);
      return 'loaded';
    } catch (error) {
      return `${error.name} ${error.code}: ${error.message}`;
    }
  },

  misuse: () => misuse(sonometer),

  /** The answers to all cases. */
  async vectors() {
    const cases = await (await fetch('/cases.jsonl')).text();
    return cases.split('\n').filter((line) => line !== '').map((line) => answer(sonometer, JSON.parse(line)));
  },
};
document.title = 'ready';
