// Objects of the worker, as the page holds them.
import { invalid } from './errors.js';
import { JsonInteraction, inside as isRead } from './json-interaction.js';
import { ask, generation, init, release } from './remote-port.js';

export const inside = Symbol();

const freed = new FinalizationRegistry(({ object, of }) => release(object, of));

/** Calls a method of an object of the worker. */
export let use;

/** An object of the worker. */
export class Remote {
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
export function plain(value) {
  return value instanceof Interaction ? { interactionJson: value.json() } : value;
}

/** An interaction from JSON text. */
export class Interaction extends JsonInteraction {
  /** Reads JSON text by the engine's own strict reader. */
  static async parse(json) {
    await init();
    await ask({ name: 'parse', args: [json] });
    return new Interaction(isRead, json);
  }
}
