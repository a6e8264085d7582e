// Results: the engine's canonical JSON, and beside it the same as frozen objects.
import { freeze, invalid } from './errors.js';

export const made = Symbol();

class Result {
  #json;

  constructor(key, json) {
    if (key !== made) throw invalid('', 'readings are made by sensors');
    this.#json = json;
    Object.assign(this, JSON.parse(json));
  }

  /** The canonical JSON, byte for byte as the engine wrote it. */
  json() {
    return this.#json;
  }
}

/** What a sensor found in an interaction. */
export class Reading extends Result {
  #shown;

  /** `shown` gives the turns of an interaction as the sensor of this reading masks them. */
  constructor(key, json, shown) {
    super(key, json);
    this.#shown = shown;
    freeze(this);
  }

  /** The turns of the interaction that this is a reading of, as they may be shown. */
  shown(interaction) {
    if (this.#shown === undefined) throw invalid('', 'this reading came from a worker; write `await sensor.shown(interaction)`');
    return this.#shown(interaction);
  }
}

/** Two interactions measured by the same sensor. */
export class Comparison extends Result {
  constructor(key, json) {
    super(key, json);
    freeze(this);
  }
}

/** What sensing is expected to cost. */
export class Estimate extends Result {
  constructor(key, json, measured) {
    super(key, json);
    this.measured = measured;
    freeze(this);
  }
}
