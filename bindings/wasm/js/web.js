// Browsers and bundlers: the module is fetched, so it must be waited for once.
import { isRunning, start } from './engine.js';
import { SonometerError, invalid } from './errors.js';
import { readFilesBy, unreadable } from './files.js';
import { messageOf } from './kind.js';

export * from './index.js';

readFilesBy(async (path) => {
  const address = new URL(`./${path}`, import.meta.url);
  let answer;
  try {
    answer = await fetch(address);
  } catch (cause) {
    throw unreadable(address, messageOf(cause), cause);
  }
  if (!answer.ok) throw unreadable(address, `the answer is ${answer.status}`);
  return answer.text();
}, false);

let loading;

/** Loads the engine; the first call decides from where. Further calls wait for the same. */
export function init(source = new URL('./sonometer.wasm', import.meta.url)) {
  if (isRunning()) return Promise.resolve();
  loading ??= load(source).catch((error) => {
    // Whoever mends the reason may try again.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(source) {
  const given = await source;
  let readable = given;
  if (typeof given === 'string' || given instanceof URL || (typeof Request === 'function' && given instanceof Request)) {
    const address = given instanceof Request ? given.url : String(given);
    try {
      readable = await fetch(given);
    } catch (cause) {
      throw invalid('source', `${address} cannot be fetched (${messageOf(cause)}); put sonometer.wasm there, or give \`init\` its address`, {}, { cause });
    }
    if (!readable.ok) {
      throw invalid('source', `${address} answers ${readable.status}; put sonometer.wasm there, or give \`init\` its address`);
    }
  }
  try {
    await start(readable);
  } catch (cause) {
    if (cause instanceof SonometerError) throw cause;
    const message = `the engine cannot be loaded (${messageOf(cause)}); if a content security policy is the reason, add 'wasm-unsafe-eval' to its script-src`;
    throw invalid('source', message, {}, { cause });
  }
}
