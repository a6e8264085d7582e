// What lives in the memory of the WebAssembly instance, as JavaScript holds it.
import { call } from './engine.js';
import { SonometerError, freeze, invalid } from './errors.js';

/** One object of the engine. */
export class Held {
  #make;
  #object;
  /** The instance that holds the object. */
  #generation;
  #messages;

  /**
   * @param make Makes the object. It is asked again where the instance that held the object failed, unless there is a message `lost`.
   * @param messages `freed`: the error once the object was given back. `lost`: the error where its content went with a failed instance.
   */
  constructor(make, messages) {
    this.#make = make;
    this.#messages = messages;
    this.use(() => {});
  }

  get isFreed() {
    return this.#make === undefined;
  }

  /** Works with the object, and with the engine that holds it. */
  use(work) {
    if (this.isFreed) throw invalid('', this.#messages.freed);
    return call((engine, generation) => {
      if (this.#generation !== generation) {
        const { lost } = this.#messages;
        if (this.#generation !== undefined && lost !== undefined) throw new SonometerError('internal_error', lost);
        this.#object = this.#make(engine);
        this.#generation = generation;
      }
      return work(this.#object, engine);
    });
  }

  /** Gives its memory back now. Without it, that happens some time after nobody holds it any more. */
  free() {
    const object = this.#object;
    const generation = this.#generation;
    this.#object = undefined;
    this.#make = undefined;
    if (object !== undefined) call((_, now) => generation === now && object.free());
  }
}

/** Lets `using` free the objects of a class. */
export function disposable({ prototype }) {
  Object.defineProperty(prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'), { value: prototype.free, configurable: true, writable: true });
}

/** Gives an object its members, which nobody can change. */
export function describe(object, members) {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(object, name, { value: typeof value === 'object' ? freeze(value) : value, enumerable: true });
  }
}

/** The members of a result of the engine, which is given back. */
export function taken(result, names) {
  const members = Object.fromEntries(names.map((name) => [name, result[name]]));
  result.free();
  return members;
}

/** The texts of the engine about many things, `names.length` of them in a row for each thing, as frozen objects. */
export function table(names, texts) {
  const rows = [];
  for (let at = 0; at < texts.length; at += names.length) {
    rows.push(Object.fromEntries(names.map((name, offset) => [name, texts[at + offset]])));
  }
  return freeze(rows);
}
