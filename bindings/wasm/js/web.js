// Browsers and bundlers: the module is fetched, so it must be waited for once.
import { isRunning, start } from './engine.js';
import { SonometerError } from './errors.js';
import { fetched, notStarted } from './fetched.js';
import { readFilesBy, unreadable } from './files.js';
import { messageOf } from './kind.js';

export * from './index.js';

// An address that bundlers know: it is where they put the module.
const module = new URL('./sonometer.wasm', import.meta.url);

readFilesBy(async (path) => {
  // Beside the module: an address of parts beside `import.meta.url` is every file that it could mean for Vite and webpack, which ship them all.
  const address = new URL(`./${path}`, module);
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
export function init(source = module) {
  if (isRunning()) return Promise.resolve();
  loading ??= load(source).catch((error) => {
    // Once the reason is gone, another call may succeed.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(source) {
  const readable = await fetched(source, 'sonometer.wasm');
  try {
    await start(readable);
  } catch (cause) {
    throw cause instanceof SonometerError ? cause : notStarted('the engine', cause);
  }
}
