// Reading chats in browsers: the module is fetched from beside this file.
import { reader } from './chat-reader.js';
import { fetched, notStarted } from './fetched.js';

export const { init, fromMessages } = reader({
  open: (source) => fetched(source, () => new URL('./chats.wasm', import.meta.url), 'chats.wasm'),
  failed: (cause) => notStarted('the reader of chats', cause),
});
export { SonometerError } from './errors.js';
