// What the tests in Chromium call. Nothing here is inline, so that the strictest policy allows it.
import * as chats from '/package/chats.js';
import * as sonometer from '/package/web.js';
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

  /** A dive; with it which modules were fetched. */
  async dive() {
    await sonometer.init();
    const fetched = performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop());
    return { told: await dived(sonometer), modules: fetched.filter((name) => name.endsWith('.wasm')) };
  },

  /** A chat, twice, and one that is refused; with them which modules were fetched. */
  async chat() {
    const chat = { contents: [{ role: 'user', parts: [{ text: 'Is it raining?' }] }, { role: 'model', parts: [{ text: 'No.' }] }] };
    const read = await chats.fromMessages(chat).catch(() => undefined);
    await chats.fromMessages(JSON.stringify(chat)).catch(() => undefined);
    const refused = await chats.fromMessages(chat, { form: 'gemni' }).catch(({ name, place, message }) => `${name} ${place === 'form' ? place : message}`);
    const fetched = performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop());
    return { read, refused, modules: fetched.filter((name) => name.endsWith('.wasm')) };
  },

  /** The answers to all cases. */
  async vectors() {
    const cases = await (await fetch('/cases.jsonl')).text();
    return answers(sonometer, cases.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line)));
  },
};
document.title = 'ready';
