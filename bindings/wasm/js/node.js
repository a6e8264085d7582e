// Node: the module is read from beside this file at the first use, without waiting.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, start, startLater, startNow } from './engine.js';
import { invalid } from './errors.js';
import { readFilesBy, unreadable } from './files.js';
import { messageOf } from './kind.js';

export * from './index.js';

startLater(() => {
  const path = join(__dirname, 'sonometer.wasm');
  let bytes;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw invalid('source', `${path} cannot be read (${messageOf(cause)}); let your bundler copy it, or give its bytes to \`init\``, {}, { cause });
  }
  startNow(bytes);
});

readFilesBy((path) => {
  const address = join(__dirname, path);
  try {
    return readFileSync(address, 'utf8');
  } catch (cause) {
    throw unreadable(address, messageOf(cause), cause);
  }
}, true);

/** Needed in browsers only. Here it may load the engine from bytes of another place, before the first use. */
export async function init(source) {
  const given = await source;
  if (isRunning() || given === undefined) return;
  try {
    await start(given instanceof URL || typeof given === 'string' ? readFileSync(given) : given);
  } catch (cause) {
    throw invalid('source', `the engine cannot be loaded (${messageOf(cause)})`, {}, { cause });
  }
}
