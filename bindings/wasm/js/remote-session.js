// An interaction that comes in bit by bit, sensed in the worker.
import { isEmpty } from './empty.js';
import { freeze, invalid } from './errors.js';
import { Remote, inside, use } from './remote-object.js';
import { signalOf, transferable } from './remote-port.js';
import { Reading, made } from './reading.js';

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
  async push(chunk, options = {}) {
    const { signal, rest } = signalOf(options, ['transfer']);
    const { transfer = false } = rest;
    return this.#step('push', [chunk], { signal, place: 'chunk', transfer: transfer ? transferable(chunk) : [] });
  }

  async beginSegment(role, options = {}) {
    const { signal, rest } = signalOf(options);
    return this.#step('beginSegment', [role, rest], { signal });
  }

  async pushSegment(segment, options = {}) {
    const { signal } = signalOf(options, []);
    return this.#step('pushSegment', [segment], { signal, place: 'segment' });
  }

  async end(options = {}) {
    const { signal } = signalOf(options, []);
    return this.#step('end', [], { signal });
  }

  async soFar(options = {}) {
    const { signal } = signalOf(options, []);
    return new Reading(made, (await use(this, 'soFar', [], { signal })).json);
  }

  async finish(options = {}) {
    const { signal } = signalOf(options, []);
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
        settle.reject(reason ?? invalid('', 'the stream was cancelled before its end'));
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
