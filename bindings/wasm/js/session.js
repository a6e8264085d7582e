// An interaction that comes in bit by bit.
import { isMoved } from './empty.js';
import { freeze, invalid } from './errors.js';
import { Held, disposable } from './held.js';
import { jsonOf, wantSize, wantText } from './interaction.js';
import { wantWhole } from './json.js';
import { kind } from './kind.js';
import { known } from './options.js';
import { Reading, made } from './reading.js';

const key = Symbol();
const START = Object.freeze({ segment: 0, offset: 0 });

/** How a sensor makes a session. */
export function begin(open, shown) {
  return new Session(key, open, shown);
}

/** One interaction that comes in. */
export class Session {
  #stream;
  #shown;
  /** The first half of a pair at the end of the last text, whose other half is to come. */
  #half = '';
  #settledTo = START;
  #releasedTo = START;

  constructor(secret, open, shown) {
    if (secret !== key) throw invalid('', 'sessions are created by `sensor.session()`');
    this.#shown = shown;
    this.#stream = new Held(open, {
      freed: 'this session is over; begin another',
      lost: 'the engine failed, and what this session held went with it; begin another',
    });
  }

  /** Everything before this place is settled: nothing there can change any more. */
  get settledTo() {
    return this.#settledTo;
  }

  /** Text before this place may be shown with the masks reported so far; with `release` it runs ahead of `settledTo`. */
  get releasedTo() {
    return this.#releasedTo;
  }

  /** The next part of the text, or of the segment begun last: a text or UTF-8 bytes, cut anywhere; `null` and `undefined` are nothing. */
  push(chunk) {
    if (chunk === null || chunk === undefined) return this.#step((stream) => stream.skip());
    if (chunk instanceof Uint8Array) {
      if (this.#half !== '') throw this.#cut();
      // Copied into the engine, they would be a failure of its instance.
      if (isMoved(chunk)) throw invalid('chunk', 'these bytes were moved away, to a worker for example; push them before that');
      return this.#step((stream) => stream.pushBytes(chunk));
    }
    if (typeof chunk !== 'string') throw invalid('chunk', `a text or bytes are needed, not ${kind(chunk)}`);
    const whole = this.#half + chunk;
    const cut = /[\ud800-\udbff]$/.test(whole) ? whole.length - 1 : whole.length;
    const text = whole.slice(0, cut);
    wantSize('chunk', text);
    wantWhole('chunk', text);
    const step = this.#step((stream) => stream.push(text));
    this.#half = whole.slice(cut);
    return step;
  }

  /** Begins a segment of a conversation; the one before is over. */
  beginSegment(role, options = {}) {
    known('options', options, ['timestamp']);
    if (this.#half !== '') throw this.#cut();
    wantText('role', role);
    const time = seconds('options.timestamp', options.timestamp);
    return this.#step((stream) => stream.beginSegment(role, time));
  }

  /** A whole segment of a conversation, or a message of a chat interface; one in which nobody says anything is nothing. */
  pushSegment(segment) {
    if (this.#half !== '') throw this.#cut();
    if (typeof segment !== 'object' || segment === null || Array.isArray(segment)) {
      throw invalid('segment', `an object is needed, not ${kind(segment)}`);
    }
    const json = jsonOf(segment, 'segment', 'segment');
    return this.#step((stream) => stream.pushSegment(json));
  }

  /** Nothing more comes: everything settles. */
  end() {
    if (this.#half !== '') throw this.#cut();
    return this.#step((stream) => stream.end());
  }

  /** The reading as if the interaction ended here. The session goes on. */
  soFar() {
    if (this.#half !== '') throw this.#cut();
    return new Reading(made, this.#stream.use((stream) => stream.soFar()), this.#shown);
  }

  /** The reading of all that came in. The session is over, and its memory is given back. */
  finish() {
    const reading = this.soFar();
    this.free();
    return reading;
  }

  /** Gives its memory back without a reading. */
  free() {
    this.#stream.free();
  }

  #step(work) {
    const step = freeze(JSON.parse(this.#stream.use(work)));
    this.#settledTo = step.settled_to;
    this.#releasedTo = step.released_to;
    return step;
  }

  #cut() {
    return invalid('chunk', 'the text ends with half of a surrogate pair, whose other half must come first');
  }
}
disposable(Session);

function seconds(place, value) {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(place, `a number of seconds is needed, not ${kind(value)}`);
  return String(value);
}
