// The noun that people work with: something compiled, which measures.
import { SonometerError, finding, freeze, invalid, nth, within } from './errors.js';
import { fileNamed, fileText, listPaths, readsNow, withFiles } from './files.js';
import { guard } from './guard.js';
import { Held, describe, disposable, taken } from './held.js';
import { utf8, wantText, written } from './interaction.js';
import { kind } from './kind.js';
import { NAMES, ask, flag, known, rate } from './options.js';
import { Comparison, Estimate, Reading, made } from './reading.js';
import { begin } from './session.js';
import { shownBy } from './shown.js';
import { constructorOf, listTexts, shelfTexts, sourceText } from './source.js';

const inside = Symbol();

/** The texts of a protocol of the package and of its list files: promises, where files are fetched. */
function textsOf(path) {
  return [path, ...listPaths(path).map((list) => `protocols/${list}`)].map(fileText);
}

function ofFile(path, [source, ...texts]) {
  return Sensor.fromSource(source, { files: Object.fromEntries(listPaths(path).map((list, at) => [list, texts[at]])) });
}

/** A compiled protocol, metric or blueprint. */
export class Sensor {
  #instrument;

  constructor(key, compile) {
    if (key !== inside) throw invalid('', constructorOf('Sensor', key));
    this.#instrument = new Held(compile, { freed: 'this sensor was freed; make a new one' });
    const { facts, markers, effects, ...more } = this.#instrument.use((instrument) => ({
      facts: instrument.facts(),
      markers: instrument.markers(),
      effects: instrument.effects(),
      modalities: instrument.modalities(),
      warnings: instrument.warnings().map(finding),
    }));
    const [kind, id, version, name, better, language, scoreMeaning] = facts;
    const effectOf = Object.fromEntries(markers.map((marker, at) => [marker, effects[at]]));
    describe(this, { kind, id, version, name, better, scoreMeaning, language: language || undefined, markers, effects: effectOf, ...more });
  }

  /** What ships in the module, or in Node as a file of the package, by `id` or `id@version`. */
  static shipped(name) {
    wantText('name', name);
    const path = fileNamed(name);
    if (path !== undefined) {
      if (readsNow()) return ofFile(path, textsOf(path));
      throw invalid('name', `\`${name}\` is a file of the package and not in the module; write \`await Sensor.load('${name}')\``);
    }
    try {
      return new Sensor(inside, (engine) => engine.Instrument.shipped(name));
    } catch (error) {
      throw withFiles(error, name);
    }
  }

  /** What ships, in the module or as a file of the package, by `id` or `id@version`. */
  static async load(name) {
    wantText('name', name);
    const path = fileNamed(name);
    if (path === undefined) return Sensor.shipped(name);
    return ofFile(path, await Promise.all(textsOf(path)));
  }

  /** From the source of a protocol, metric or blueprint: YAML or JSON text, or an object. */
  static fromSource(source, options = {}) {
    known('options', options, ['files', 'shelf', 'shipped']);
    const { files = {}, shelf = [], shipped = true } = options;
    flag('options.shipped', shipped);
    const text = sourceText('source', source, 'protocol, metric or blueprint', 'Sensor');
    const others = shelfTexts(shelf);
    const lists = listTexts(files);
    return new Sensor(inside, (engine) => engine.Instrument.read(text, others, shipped, lists));
  }

  /** The former name of `fromSource`. */
  static from(source, options) {
    return Sensor.fromSource(source, options);
  }

  /** Measures an interaction. */
  sense(interaction, options) {
    return this.#sense(written(interaction), ask(options), this.#masking(options));
  }

  /** Measures many, one after the other; what is wrong with one costs the others nothing. */
  batch(interactions, options) {
    return [...this.each(interactions, options)];
  }

  /** As `batch`, one outcome at a time, in memory that does not grow with their number. */
  each(interactions, options) {
    if (typeof interactions !== 'object' || interactions === null || !(Symbol.iterator in interactions)) {
      throw invalid('interactions', `a list of interactions is needed, not ${kind(interactions)}`);
    }
    const asked = ask(options);
    this.#instrument.use((instrument, engine) => instrument.check(asked(engine)));
    return this.#outcomes(interactions, asked, this.#masking(options));
  }

  /** Begins to measure an interaction that comes in bit by bit. */
  session(options = {}) {
    const { release = false, ...asked } = known('options', options, [...NAMES, 'release']);
    flag('options.release', release);
    const wanted = ask(asked);
    return begin(() => this.#instrument.use((instrument, engine) => instrument.session(wanted(engine), release)), this.#masking(asked));
  }

  /** A stream that masks text and passes it on as soon as no masked pattern can reach it. */
  guard(options = {}) {
    const { onStep, ...asked } = known('options', options, [...NAMES, 'onStep']);
    if (onStep !== undefined && typeof onStep !== 'function') {
      throw invalid('options.onStep', `a function is needed, not ${kind(onStep)}`);
    }
    return guard(this.session({ ...asked, release: true }), onStep);
  }

  /** The turns of an interaction as they may be shown: private stretches masked. */
  shown(interaction, options = {}) {
    known('options', options, ['mask', 'maskKey']);
    const input = written(interaction);
    // What `sense` refuses is refused here too: below, a misspelt key would be a turn in which nobody says anything.
    if (input.json) this.#fidelity(input);
    return shownBy(input, () => this.session({ ...options, release: true }));
  }

  /** Whether an interaction holds enough to be measured. */
  fidelity(interaction) {
    return freeze(JSON.parse(this.#fidelity(written(interaction))));
  }

  /** Measures two interactions, and what lies between them. */
  compare(a, b, options = {}) {
    known('options', options, ['usdPerIcs']);
    const price = rate(options);
    const before = written(a, 'interaction_a');
    const after = written(b, 'interaction_b');
    try {
      return new Comparison(made, this.#instrument.use((instrument) => instrument.compare(before.text, before.json, after.text, after.json, price)));
    } catch (error) {
      // The engine does not say which of the two it cannot read.
      if (!this.#instrument.isFreed) {
        this.#read(before, 'interaction_a');
        this.#read(after, 'interaction_b');
      }
      throw error;
    }
  }

  /** What content of so many characters will cost. */
  estimate(characters, options = {}) {
    known('options', options, ['modality', 'usdPerIcs']);
    const { modality = 'text' } = options;
    if (!Number.isSafeInteger(characters) || characters < 0) {
      throw invalid('characters', 'a whole number of characters from 0 is needed');
    }
    wantText('options.modality', modality);
    const price = rate(options);
    const { json, measured } = this.#instrument.use((instrument) => taken(instrument.estimate(characters, modality, price), ['json', 'measured']));
    return new Estimate(made, json, measured);
  }

  /** Gives its memory back now. */
  free() {
    this.#instrument.free();
  }

  /** Throws what is wrong with an interaction which is called `place`. */
  #read(input, place) {
    try {
      this.#fidelity(input);
    } catch (error) {
      throw within(place, error);
    }
  }

  #fidelity({ text, json }) {
    return this.#instrument.use((instrument) => instrument.fidelity(text, json));
  }

  #sense({ text, json }, asked, shown, at) {
    const reading = this.#instrument.use((instrument, engine) => instrument.sense(utf8(text), json, asked(engine), at));
    return new Reading(made, reading, shown);
  }

  /** How readings with these options show what they are of. */
  #masking({ mask, maskKey } = {}) {
    return (interaction) => this.shown(interaction, { mask, maskKey });
  }

  *#outcomes(interactions, asked, shown) {
    let at = 0;
    for (const interaction of interactions) {
      let outcome;
      try {
        outcome = { reading: this.#one(interaction, asked, shown, at) };
      } catch (error) {
        if (!(error instanceof SonometerError) || this.#instrument.isFreed) throw error;
        outcome = { error };
      }
      yield Object.freeze(outcome);
      at += 1;
    }
  }

  #one(interaction, asked, shown, at) {
    let input;
    try {
      input = written(interaction);
    } catch (error) {
      throw error instanceof SonometerError ? nth(at, error) : error;
    }
    return this.#sense(input, asked, shown, at);
  }
}
disposable(Sensor);
