// Browsers and bundlers: the module is fetched, so it must be waited for once.
import { isRunning, start } from './engine.js';
import { SonometerError } from './errors.js';
import { fetched, notStarted } from './fetched.js';
import { readFilesBy, unreadable } from './files.js';
import { messageOf } from './kind.js';

export * from './index.js';

/** An address that bundlers know: it is where they put the module. Scripts that are no modules have none, and give it to `init`. */
function module() {
  return new URL('./sonometer.wasm', import.meta.url);
}

async function read(path) {
  // Beside the module: an address of parts beside `import.meta.url` is every file that it could mean for Vite and webpack, which ship them all.
  let address = path;
  let answer;
  try {
    address = new URL(`./${path}`, module());
    answer = await fetch(address);
  } catch (cause) {
    throw unreadable(address, messageOf(cause), cause);
  }
  if (!answer.ok) throw unreadable(address, `the answer is ${answer.status}`);
  return answer.text();
}

readFilesBy({ read });

let loading;

/** Loads the engine; the first call decides from where. Further calls wait for the same. */
export function init(source) {
  if (isRunning()) return Promise.resolve();
  loading ??= load(source).catch((error) => {
    // Once the reason is gone, another call may succeed.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(source) {
  const readable = await fetched(source, module, 'sonometer.wasm');
  try {
    await start(readable);
  } catch (cause) {
    throw cause instanceof SonometerError ? cause : notStarted('the engine', cause);
  }
}
