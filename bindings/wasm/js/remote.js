// The engine in a worker, as the page holds it: the same classes, whose methods give promises.
import { freeze, invalid } from './errors.js';
import { guard } from './guard.js';
import { kind } from './kind.js';
import { NAMES, known } from './options.js';
import { Comparison, Estimate, Reading, made } from './reading.js';
import { Remote, inside, plain, use } from './remote-object.js';
import { ask, errorOf, init, signalOf } from './remote-port.js';
import { Session } from './remote-session.js';

export { Guard } from './guard.js';
export { Interaction } from './remote-object.js';
export { init, spawnBy, terminate } from './remote-port.js';
export { Session };

/** Interactions of one message. Between two messages a batch can be cancelled. */
const AT_ONCE = 32;

async function sensor(name, args, options = {}) {
  const { signal } = signalOf(options, []);
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
    const { onStep, ...rest } = known('options', options, [...NAMES, 'onStep', 'signal']);
    if (onStep !== undefined && typeof onStep !== 'function') throw invalid('options.onStep', `a function is needed, not ${kind(onStep)}`);
    return guard(await this.session({ ...rest, release: true }), onStep);
  }

  async shown(interaction, options = {}) {
    const { signal, rest } = signalOf(options);
    const { value } = await use(this, 'shown', [interaction, rest], { signal, place: 'interaction' });
    return freeze(value);
  }

  async fidelity(interaction, options = {}) {
    const { signal } = signalOf(options, []);
    const { value } = await use(this, 'fidelity', [interaction], { signal, place: 'interaction' });
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
