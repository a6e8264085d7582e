// The worker as the page calls it: it is started, asked one call after the other, and stopped.
import { SonometerError, invalid } from './errors.js';
import { kind, messageOf } from './kind.js';
import { known } from './options.js';

/** Starts a worker, or takes one: `{ post(message, transfer), hear(message, failure), stop(), idle(isIdle) }`; how depends on where this runs. */
let spawn;
/** What to do where a worker does not start. */
let fix;
let port;
/** Objects of a worker that was stopped are gone: they belong to an older generation. */
export let generation = 0;
let ready;
/** The calls that wait, and the one that the worker works on. */
let waiting = [];
let working;
let last = 0;

export function spawnBy(advice, starter) {
  fix = advice;
  spawn = starter;
}

/** Starts the worker and loads the engine in it; further calls wait for the same. `options.worker` makes a worker of one's own. */
export async function init(source, options = {}) {
  known('options', options, ['transfer', 'worker']);
  const own = generation;
  ready ??= begin(source, options).catch((error) => {
    // It may be tried again. A worker that was started since is none of its business.
    if (own === generation) stopped(error);
    throw error;
  });
  return ready;
}

async function begin(source, { transfer = false, worker }) {
  const own = generation;
  const sendable = await plainSource(await source);
  // It was stopped before it began.
  if (own !== generation) throw ended();
  const given = worker === undefined ? undefined : made(worker);
  try {
    port = spawn(given);
  } catch (cause) {
    throw failedToStart(messageOf(cause), cause);
  }
  const mine = port;
  port.hear(answered, (why) => mine === port && stopped(failedToStart(why)));
  await ask({ name: 'init', args: [sendable] }, { transfer: transfer ? transferable(sendable) : [] });
}

/** The worker of a function of one's own. */
function made(worker) {
  let own = worker;
  try {
    if (typeof worker === 'function') own = worker();
  } catch (cause) {
    throw failedToStart(messageOf(cause), cause);
  }
  if (typeof own?.postMessage === 'function' && typeof own.terminate === 'function') return own;
  throw invalid('options.worker', `a function that makes a worker is needed, such as \`() => new Worker(…)\`; this is ${kind(own)}`);
}

function failedToStart(why, cause) {
  return new SonometerError('internal_error', `the worker failed (${why}); ${fix}`, '', {}, { cause });
}

/** What can be sent of a source. A relative address is one of the page, not of the worker's script. */
async function plainSource(source) {
  if (typeof source === 'string') return globalThis.document === undefined ? source : new URL(source, document.baseURI).href;
  // Objects of this class cannot be sent.
  if (source instanceof URL) return { href: source.href };
  if (source instanceof Request) return source.url;
  return source instanceof Response ? source.arrayBuffer() : source;
}

export function transferable(bytes) {
  const buffer = ArrayBuffer.isView(bytes) ? bytes.buffer : bytes;
  // One that was moved before cannot be moved again: Node loses the message without a word. As a copy it is refused.
  return buffer instanceof ArrayBuffer && buffer.byteLength > 0 ? [buffer] : [];
}

/** Stops the worker. What waits is rejected, sensors and sessions are gone; the next `init` or sensor starts another. */
export function terminate() {
  stopped(ended());
}

function ended() {
  return new SonometerError('internal_error', 'the worker was stopped');
}

function stopped(error) {
  generation += 1;
  port?.stop();
  port = undefined;
  ready = undefined;
  const all = working === undefined ? waiting : [working, ...waiting];
  working = undefined;
  waiting = [];
  for (const { reject } of all) reject(error);
}

/** Asks the worker. One call after the other is sent, so that what waits can be cancelled. */
export function ask(call, { signal, transfer = [] } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const one = { id: (last += 1), call, transfer, isCancelled: false };
    const cancel = () => {
      // One that is being worked on runs to its end there, but nobody waits for it.
      waiting = waiting.filter((other) => other !== one);
      one.isCancelled = true;
      reject(signal.reason);
    };
    const settle = (by) => (value) => {
      signal?.removeEventListener('abort', cancel);
      by(value);
    };
    Object.assign(one, { resolve: settle(resolve), reject: settle(reject) });
    signal?.addEventListener('abort', cancel, { once: true });
    waiting.push(one);
    next();
  });
}

function next() {
  if (working !== undefined || port === undefined) return;
  working = waiting.shift();
  port.idle(working === undefined);
  if (working === undefined) return;
  const { id, call, transfer, reject } = working;
  try {
    port.post({ id, ...call }, transfer);
  } catch (cause) {
    working = undefined;
    reject(invalid(call.place ?? '', `this cannot be sent to a worker (${messageOf(cause)}); give plain data`, {}, { cause }));
    next();
  }
}

function answered({ id, error, ...result }) {
  if (working?.id !== id) return;
  const { resolve, reject, isCancelled } = working;
  working = undefined;
  if (isCancelled && result.object !== undefined) release(result.object, generation);
  if (error === undefined) resolve(result);
  else reject(errorOf(error));
  next();
}

export function errorOf({ name, code, message, place, details }) {
  return code === undefined ? Object.assign(new Error(message), { name }) : new SonometerError(code, message, place, details);
}

/** The signal among the options of a call, and the others: the engine knows them, unless all of their `names` are given. */
export function signalOf(options, names = Object.keys(Object(options))) {
  const { signal, ...rest } = known('options', options, [...names, 'signal']);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('options.signal', `an AbortSignal is needed, not ${kind(signal)}`);
  return { signal, rest };
}

/** Gives an object of the worker back, unless it went with a worker that was stopped. */
export function release(object, of) {
  if (of === generation && port !== undefined) ask({ object, name: 'free', args: [] }).catch(() => {});
}
