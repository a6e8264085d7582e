// Objects as JSON text, without a silent change on the way. This needs no engine.
import { SonometerError, invalid } from './errors.js';
import { messageOf } from './kind.js';

/** An object as JSON text; `inside` is where its parts stand. */
export function toJson(value, place, inside) {
  let text;
  try {
    text = JSON.stringify(value);
    // `JSON.stringify` writes half of a pair as an escape, and nothing else so.
    if (text?.includes('\\ud')) findHalf(JSON.parse(text), inside);
    // NaN and Infinity become `null`, which is no time: a slip must not pass for one.
    if (text?.includes('null')) findNotFinite(value, inside);
  } catch (cause) {
    // Getters and `toJSON` of others may throw each time, and what is nested very deep runs out of stack.
    throw cause instanceof SonometerError ? cause : invalid(place, `this cannot be written as JSON (${messageOf(cause)})`, {}, { cause });
  }
  if (text === undefined) throw invalid(place, 'this has no JSON form');
  return text;
}

const half = /\p{Surrogate}/u;

/** A half of a surrogate pair has no UTF-8 form; it would silently become another character and move every place. */
export function wantWhole(place, text) {
  if (text.isWellFormed?.() ?? !half.test(text)) return;
  const offset = text.search(half);
  const unit = text.charCodeAt(offset).toString(16);
  const message = `\`\\u${unit}\` at ${offset} is half of a surrogate pair; cut texts between characters, or repair them with \`toWellFormed()\``;
  throw invalid(place, message, { offset });
}

function findHalf(value, place) {
  if (typeof value === 'string') {
    wantWhole(place || 'interaction', value);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      wantWhole(join(place, 'key'), key);
      findHalf(part, Array.isArray(value) ? `${place}[${key}]` : join(place, key));
    }
  }
}

function findNotFinite(given, place) {
  // What `JSON.stringify` has read: beside it an object may hold itself.
  const value = typeof given?.toJSON === 'function' ? given.toJSON() : given;
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalid(place || 'interaction', `a number is needed, not ${value}; leave a time that is not known out, or give null`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      findNotFinite(part, Array.isArray(value) ? `${place}[${key}]` : join(place, key));
    }
  }
}

export function join(place, key) {
  return place === '' ? key : `${place}.${key}`;
}
