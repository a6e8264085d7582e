// The engine in a worker, as the page holds it: the same classes, whose methods give promises.
import { SonometerError, freeze, invalid } from './errors.js';
import { kind, messageOf } from './kind.js';
import { known } from './options.js';
import { Comparison, Estimate, Reading, made } from './reading.js';

const inside = Symbol();
/** Interactions of one message. Between two messages a batch can be cancelled. */
const AT_ONCE = 32;

/** Starts a worker: `{ post(message, transfer), hear(message, failure), stop(), idle(isIdle) }`; how depends on where this runs. */
let spawn;
let port;
/** Objects of a worker that was stopped are gone: they belong to an older generation. */
let generation = 0;
let ready;
/** The calls that wait, and the one that the worker works on. */
let waiting = [];
let working;
let last = 0;

export function spawnBy(starter) {
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
  try {
    port = spawn(worker);
  } catch (cause) {
    throw failedToStart(messageOf(cause), cause);
  }
  const mine = port;
  port.hear(answered, (why) => mine === port && stopped(failedToStart(why)));
  await ask({ name: 'init', args: [sendable] }, { transfer: transfer ? transferable(sendable) : [] });
}

function failedToStart(why, cause) {
  const message = `the worker failed (${why}); serve worker-thread.js and web.js beside worker.js, and allow 'self' as worker-src in your content security policy`;
  return new SonometerError('internal_error', message, '', {}, { cause });
}

/** What can be sent of a source. A relative address is one of the page, not of the worker's script. */
async function plainSource(source) {
  if (typeof source === 'string') return globalThis.document === undefined ? source : new URL(source, document.baseURI).href;
  // Objects of this class cannot be sent.
  if (source instanceof URL) return { href: source.href };
  if (source instanceof Request) return source.url;
  return source instanceof Response ? source.arrayBuffer() : source;
}

function transferable(bytes) {
  const buffer = ArrayBuffer.isView(bytes) ? bytes.buffer : bytes;
  return buffer instanceof ArrayBuffer ? [buffer] : [];
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
function ask(call, { signal, transfer = [] } = {}) {
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

function errorOf({ name, code, message, place, details }) {
  return code === undefined ? Object.assign(new Error(message), { name }) : new SonometerError(code, message, place, details);
}

function signalOf(options) {
  const { signal, ...rest } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('options.signal', `an AbortSignal is needed, not ${kind(signal)}`);
  return { signal, rest };
}

const freed = new FinalizationRegistry(({ object, of }) => release(object, of));

function release(object, of) {
  if (of === generation && port !== undefined) ask({ object, name: 'free', args: [] }).catch(() => {});
}

/** Calls a method of an object of the worker. */
let use;

/** An object of the worker. */
class Remote {
  #object;
  #generation = generation;
  #what;

  constructor(key, object, what) {
    if (key !== inside) throw invalid('', `make a ${what} by its functions, as in \`sonometer\``);
    this.#object = object;
    this.#what = what;
    freed.register(this, { object, of: generation }, this);
  }

  static {
    use = (remote, ...asked) => remote.#ask(...asked);
  }

  async #ask(name, args, options = {}) {
    if (this.#object === undefined) throw invalid('', `this ${this.#what} was freed; make a new one`);
    if (this.#generation !== generation) throw invalid('', `the worker was stopped, and this ${this.#what} went with it; make a new one`);
    return ask({ object: this.#object, name, args: args.map(plain), place: options.place }, options);
  }

  /** Gives its memory back now. Without it, that happens some time after nobody holds it any more. */
  async free() {
    const object = this.#object;
    this.#object = undefined;
    freed.unregister(this);
    if (object !== undefined) release(object, this.#generation);
  }
}
Object.defineProperty(Remote.prototype, Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose'), { value: Remote.prototype.free });

/** An interaction on its way to the worker, where classes of the page have no methods. */
function plain(value) {
  return value instanceof Interaction ? { interactionJson: value.json() } : value;
}

/** An interaction from JSON text. */
export class Interaction {
  #json;

  constructor(key, json) {
    if (key !== inside) throw invalid('', 'a text, a list of turns or an object needs no `Interaction`; for JSON text there is `Interaction.parse`');
    this.#json = json;
    Object.freeze(this);
  }

  /** Reads JSON text by the engine's own strict reader. */
  static async parse(json) {
    await init();
    await ask({ name: 'parse', args: [json] });
    return new Interaction(inside, json);
  }

  /** The JSON text, unchanged. */
  json() {
    return this.#json;
  }
}

async function sensor(name, args, { signal } = {}) {
  await init();
  const { object, facts } = await ask({ name, args }, { signal });
  return new Sensor(inside, object, facts);
}

/** A compiled protocol, metric or blueprint in the worker. */
export class Sensor extends Remote {
  constructor(key, object, facts) {
    super(key, object, 'sensor');
    // Members that nobody can change; the class has private ones beside them.
    for (const [name, value] of Object.entries(freeze(facts))) Object.defineProperty(this, name, { value, enumerable: true });
  }

  static shipped(name, options) {
    return sensor('shipped', [name], options);
  }

  static load(name, options) {
    return sensor('load', [name], options);
  }

  static async fromSource(source, options = {}) {
    const { signal, rest } = signalOf(options);
    return sensor('fromSource', [source, rest], { signal });
  }

  async sense(interaction, options = {}) {
    const { signal, rest } = signalOf(options);
    const { json } = await use(this, 'sense', [interaction, rest], { signal, place: 'interaction' });
    return new Reading(made, json);
  }

  async batch(interactions, options) {
    const all = [];
    for await (const outcome of this.each(interactions, options)) all.push(outcome);
    return all;
  }

  /** One outcome at a time; no more interactions are taken than are measured at once. */
  async *each(interactions, options = {}) {
    const { signal, rest } = signalOf(options);
    let at = 0;
    for await (const some of chunks(interactions)) {
      const { outcomes } = await use(this, 'batch', [some.map(plain), rest], { signal, place: 'interactions' });
      for (const { json, error } of outcomes) yield Object.freeze(json === undefined ? { error: shifted(error, at) } : { reading: new Reading(made, json) });
      at += some.length;
    }
  }

  async session(options = {}) {
    const { signal, rest } = signalOf(options);
    const { object } = await use(this, 'session', [rest], { signal });
    return new Session(inside, object);
  }

  /** A stream that masks text and passes it on as soon as no masked pattern can reach it. */
  async guard(options = {}) {
    const { onStep, ...rest } = options;
    if (onStep !== undefined && typeof onStep !== 'function') throw invalid('options.onStep', `a function is needed, not ${kind(onStep)}`);
    return new Guard(inside, await this.session({ ...rest, release: true }), onStep);
  }

  async shown(interaction, options = {}) {
    const { signal, rest } = signalOf(options);
    const { value } = await use(this, 'shown', [interaction, rest], { signal, place: 'interaction' });
    return freeze(value);
  }

  async fidelity(interaction, options = {}) {
    const { value } = await use(this, 'fidelity', [interaction], { ...options, place: 'interaction' });
    return freeze(value);
  }

  async compare(a, b, options = {}) {
    const { signal, rest } = signalOf(options);
    const { json } = await use(this, 'compare', [a, b, rest], { signal, place: 'interaction_a' });
    return new Comparison(made, json);
  }

  async estimate(characters, options = {}) {
    const { signal, rest } = signalOf(options);
    const { json, measured } = await use(this, 'estimate', [characters, rest], { signal });
    return new Estimate(made, json, measured);
  }
}

/** Interactions by as many as are measured at once. */
async function* chunks(interactions) {
  if (typeof interactions !== 'object' || interactions === null || !(Symbol.iterator in interactions || Symbol.asyncIterator in interactions)) {
    throw invalid('interactions', `a list of interactions is needed, not ${kind(interactions)}`);
  }
  let some = [];
  for await (const interaction of interactions) {
    some.push(interaction);
    if (some.length < AT_ONCE) continue;
    yield some;
    some = [];
  }
  // An empty list is asked for too, since its options may be wrong.
  yield some;
}

/** The error of an interaction, counted from the first of all. */
function shifted(error, by) {
  const { place = '', ...rest } = error;
  return errorOf({ ...rest, place: place.replace(/^interactions\[(\d+)\]/, (_, at) => `interactions[${Number(at) + by}]`) });
}

const START = Object.freeze({ segment: 0, offset: 0 });

/** One interaction that comes in. */
export class Session extends Remote {
  #settledTo = START;
  #releasedTo = START;

  constructor(key, object) {
    super(key, object, 'session');
  }

  get settledTo() {
    return this.#settledTo;
  }

  get releasedTo() {
    return this.#releasedTo;
  }

  /** With `transfer`, the bytes are moved to the worker and not copied; the page does not have them any more. */
  push(chunk, { transfer = false, signal } = {}) {
    return this.#step('push', [chunk], { signal, place: 'chunk', transfer: transfer ? transferable(chunk) : [] });
  }

  beginSegment(role, options = {}) {
    const { signal, rest } = signalOf(options);
    return this.#step('beginSegment', [role, rest], { signal });
  }

  pushSegment(segment, { signal } = {}) {
    return this.#step('pushSegment', [segment], { signal, place: 'segment' });
  }

  end({ signal } = {}) {
    return this.#step('end', [], { signal });
  }

  async soFar({ signal } = {}) {
    return new Reading(made, (await use(this, 'soFar', [], { signal })).json);
  }

  async finish({ signal } = {}) {
    const reading = new Reading(made, (await use(this, 'finish', [], { signal })).json);
    await this.free();
    return reading;
  }

  async #step(name, args, options) {
    const step = freeze((await use(this, name, args, options)).value);
    this.#settledTo = step.settled_to;
    this.#releasedTo = step.released_to;
    return step;
  }
}

/** A stream of text that holds back what a masked pattern can still reach. */
export class Guard extends TransformStream {
  constructor(key, session, onStep) {
    if (key !== inside) throw invalid('', 'guards are made by `sensor.guard()`');
    const { promise, settle } = settled();
    const tell = (step, controller) => {
      // First, so that what it throws also stops the text that it heard of.
      onStep?.(step);
      for (const { text } of step.released ?? []) controller.enqueue(text);
    };
    const guarded = async (work) => {
      try {
        await work();
      } catch (error) {
        await session.free();
        settle.reject(error);
        throw error;
      }
    };
    super({
      transform: (chunk, controller) => guarded(async () => isEmpty(chunk) || tell(await session.push(chunk), controller)),
      flush: (controller) =>
        guarded(async () => {
          tell(await session.end(), controller);
          settle.resolve(await session.finish());
        }),
      cancel: async (reason) => {
        await session.free();
        settle.reject(reason);
      },
    });
    Object.defineProperty(this, 'reading', { value: promise, enumerable: true });
  }
}

function settled() {
  let settle;
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  // A failure need not be heard of here: the stream tells of it too.
  promise.catch(() => {});
  return { promise, settle };
}

function isEmpty(chunk) {
  return chunk === null || chunk === undefined || chunk === '' || (chunk instanceof Uint8Array && chunk.length === 0);
}

async function table(name) {
  await init();
  return freeze((await ask({ name, args: [] })).value);
}

/** Every protocol, metric and blueprint that ships. */
export function catalog() {
  return table('catalog');
}

/** The engine and its tables, in one line. */
export function fingerprint() {
  return table('fingerprint');
}
