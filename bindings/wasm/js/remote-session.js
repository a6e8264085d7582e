// An interaction that comes in bit by bit, sensed in the worker.
import { freeze } from './errors.js';
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
