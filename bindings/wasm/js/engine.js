// The instance of the WebAssembly module, and what happens when it fails.
import * as glue from './glue.js';
import { SonometerError, fromEngine, invalid } from './errors.js';

let running = false;
/** Whether the instance failed and was not replaced yet. */
let broken = false;
/** How often a new instance had to take the place of another. What older ones held is gone. */
let generation = 0;
/** Starts the instance at its first use, where that can be done without waiting (Node). */
let starter;

export function startLater(start) {
  starter = start;
}

/** Starts the instance from bytes or a compiled module. */
export function startNow(module) {
  glue.initSync({ module });
  running = true;
}

/** Starts the instance from whatever WebAssembly can be read from. */
export async function start(source) {
  await glue.default({ module_or_path: source });
  running = true;
}

export function isRunning() {
  return running;
}

/**
 * Does something with the engine. What the engine says about its input becomes a `SonometerError`. Anything else that
 * comes out of it is a trap (a bug, or no memory or stack left): the instance is half done and is replaced, so that the
 * next call finds a sound one.
 */
export function call(work) {
  if (!running) {
    if (starter === undefined) throw invalid('', 'the engine is not loaded yet; write `await init()` first');
    starter();
  }
  if (broken) replace();
  try {
    return work(glue, generation);
  } catch (thrown) {
    // First of all, since without stack even the lines below may fail.
    const before = broken;
    broken = true;
    const told = Array.isArray(thrown) ? fromEngine(thrown) : thrown;
    if (!(told instanceof SonometerError)) throw failed(thrown);
    broken = before;
    throw told;
  }
}

/** Puts a new instance in the place of one that failed. */
function replace() {
  generation += 1;
  try {
    glue.__wbg_reset_state();
  } catch (cause) {
    throw new SonometerError('internal_error', `the engine failed and cannot be restarted (${cause}); reload the page or restart the process`, '', {}, { cause });
  }
  broken = false;
}

/** The error for a trap. */
function failed(trap) {
  let said = '';
  try {
    said = glue.lastPanic();
  } catch {
    // Not even that works any more.
  }
  replace();
  let message = `the engine failed (${said || trap}); please report it as a bug, with the input`;
  // Firefox has an error of its own for it.
  if (trap instanceof RangeError || trap?.name === 'InternalError') message = `the engine ran out of stack (${trap}); call it from a shallower stack`;
  else if (said === '') message += ', unless memory ran out';
  return new SonometerError('internal_error', message, '', {}, { cause: trap });
}
