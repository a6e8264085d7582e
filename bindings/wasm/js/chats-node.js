// Reading chats in Node: the module is read from beside this file.
import { readFile } from 'node:fs/promises';
import { reader } from './chat-reader.js';
import { invalid } from './errors.js';
import { messageOf } from './kind.js';

export const { init, fromMessages } = reader({
  async open(source) {
    const given = (await source) ?? new URL('./chats.wasm', import.meta.url);
    if (typeof given !== 'string' && !(given instanceof URL)) return given;
    try {
      return await readFile(given);
    } catch (cause) {
      throw invalid('source', `${given} cannot be read (${messageOf(cause)}); let your bundler copy it, or give its bytes to \`init\``, {}, { cause });
    }
  },
  failed: (cause) => invalid('source', `the reader of chats cannot be loaded (${messageOf(cause)})`, {}, { cause }),
});
export { SonometerError } from './errors.js';
