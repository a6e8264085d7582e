// What the tests in Chromium call. Nothing here is inline, so that the strictest policy allows it.
import * as sonometer from '/package/web.js';
import * as dives from '/package/dives-web.js';
import { answers } from '/tests/answer.mjs';
import { dived } from '/tests/dived.mjs';
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

  /** A dive with nothing but the module that knows stages; with it which modules were fetched. */
  async dive() {
    await dives.init();
    const fetched = performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop());
    return { told: await dived(dives), modules: fetched.filter((name) => name.endsWith('.wasm')) };
  },

  /** The answers to all cases. */
  async vectors() {
    const cases = await (await fetch('/cases.jsonl')).text();
    await dives.init();
    return answers(sonometer, dives, cases.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line)));
  },
};
document.title = 'ready';
