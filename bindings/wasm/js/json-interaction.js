// An interaction from JSON text, as classes here and of a worker have it. Entries of the package have a class each, and take each other's.
import { invalid } from './errors.js';

const brand = Symbol.for('sonometer.interaction');

export const inside = Symbol();

export class JsonInteraction {
  #json;

  constructor(key, json) {
    if (key !== inside) {
      throw invalid('', 'a text, a list of turns or an object needs no `Interaction`; for JSON text there is `Interaction.parse`');
    }
    this.#json = json;
    Object.freeze(this);
  }

  static [Symbol.hasInstance](value) {
    return value?.[brand] === true;
  }

  /** The JSON text, unchanged. */
  json() {
    return this.#json;
  }
}
Object.defineProperty(JsonInteraction.prototype, brand, { value: true });
