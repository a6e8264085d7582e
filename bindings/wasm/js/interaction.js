// What is measured, on its way to the engine: a text as it is, anything else as JSON, which the engine reads strictly.
import { call } from './engine.js';
import { SonometerError, invalid } from './errors.js';
import { join, toJson, wantWhole } from './json.js';
import { JsonInteraction, inside } from './json-interaction.js';
import { kind } from './kind.js';

/** An interaction from JSON text. */
export class Interaction extends JsonInteraction {
  /** Reads JSON text by the engine's own strict reader. */
  static parse(json) {
    wantText('json', json);
    call((engine) => engine.checkInteraction(json));
    return new Interaction(inside, json);
  }
}

/** An interaction as the engine takes it: a text, and whether that is JSON: an object, or a list of turns and messages. */
export function written(input, place = '') {
  if (typeof input === 'string') {
    wantText(join(place, 'content'), input);
    return { text: input, json: false };
  }
  if (input instanceof Interaction) return { text: input.json(), json: true };
  const given = kind(input);
  if (given !== 'an object' && given !== 'a list') {
    const missing = input === null || input === undefined ? "; give '' for an empty text" : '';
    const fix = given === 'a promise' ? '; write `await` before it' : missing;
    throw invalid(place || 'interaction', `a text, a list of turns or an interaction is needed, not ${given}${fix}`);
  }
  const text = jsonOf(input, place || 'interaction', Array.isArray(input) ? join(place, 'segments') : place);
  return { text, json: true };
}

/** An object as JSON text of a size that the engine reads; `inside` is where its parts stand. */
export function jsonOf(value, place, inside) {
  const text = toJson(value, place, inside);
  wantSize(inside, text);
  return text;
}

/** Complains unless this is a text that the engine can read. */
export function wantText(place, text) {
  if (typeof text !== 'string') throw invalid(place, `a text is needed, not ${kind(text)}`);
  wantSize(place, text);
  wantWhole(place, text);
}

let most;

/** A text that is too long is refused before it is copied: its UTF-8 form has at least as many bytes as it has units. */
export function wantSize(place, text) {
  most ??= call((engine) => engine.mostContent());
  if (text.length > most) {
    const message = `${text.length} UTF-16 units of content; the limit is ${most} bytes`;
    throw new SonometerError('payload_too_large', message, place);
  }
}

const encoder = new TextEncoder();

/** Texts of this many UTF-16 units or fewer are encoded into memory that is kept; each unit has at most three bytes. */
const USUAL_UNITS = 16_384;
let usual;

/**
 * The UTF-8 form of a whole text, until the next call. `wasm-bindgen` itself copies texts unit by unit, which takes ten times as
 * long for a message of 1 KB.
 */
export function utf8(text) {
  if (text.length > USUAL_UNITS) return encoder.encode(text);
  usual ??= new Uint8Array(3 * USUAL_UNITS);
  return usual.subarray(0, encoder.encodeInto(text, usual).written);
}
