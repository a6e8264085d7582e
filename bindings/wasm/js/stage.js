// Worlds that answer what an agent says: a stage, made ready once, and the dives in it.
import { call } from './engine.js';
import { SonometerError, finding, freeze, invalid } from './errors.js';
import { kind, wantText } from './interaction.js';
import { known } from './options.js';
import { made } from './reading.js';
import { StageCard } from './card.js';
import { shelfTexts, sourceText } from './source.js';

const inside = Symbol();
/** How cards are replayed in a stage; nobody else has this name. */
export const replayed = Symbol();

/** A stage made ready with what senses it. */
export class Stage {
  #compile;
  #world;
  #generation;
  #facts;
  #json;

  constructor(key, compile) {
    if (key !== inside) throw invalid('', 'make a stage with `Stage.shipped(id)` or `Stage.from(source)`');
    this.#compile = compile;
    const told = this.#use((world) => ({
      facts: world.facts(),
      json: world.canonical(),
      source: world.source(),
      rules: { checkpoints: world.checkpoints(), flags: world.flags() },
      warnings: world.warnings().map(finding),
    }));
    const { id, name, version, status, description, objective, roles, envelope, publication } = JSON.parse(told.json);
    const [digest, ...target] = told.facts;
    this.#json = told.json;
    this.#facts = freeze({
      id,
      name,
      version,
      status,
      description,
      objective,
      roles,
      digest,
      target: targetOf(target),
      envelope: { access_mode: publication.access_mode, ...envelope },
      rules: { ...told.rules, max_turns: envelope.max_turns },
      source: told.source,
      warnings: told.warnings,
    });
  }

  /** What ships, by `id` or `id@version`. */
  static shipped(name, options = {}) {
    known('options', options, ['shelf']);
    wantText('name', name);
    const others = shelfTexts(options.shelf ?? []);
    return new Stage(inside, (engine) => engine.World.shipped(name, others));
  }

  /** From the source of a stage: YAML or JSON text, or an object. */
  static from(source, options = {}) {
    known('options', options, ['shelf']);
    const text = sourceText('source', source, 'stage');
    const others = shelfTexts(options.shelf ?? []);
    return new Stage(inside, (engine) => engine.World.read(text, others));
  }

  get id() {
    return this.#facts.id;
  }

  get name() {
    return this.#facts.name;
  }

  get version() {
    return this.#facts.version;
  }

  get status() {
    return this.#facts.status;
  }

  get description() {
    return this.#facts.description;
  }

  get objective() {
    return this.#facts.objective;
  }

  get roles() {
    return this.#facts.roles;
  }

  get digest() {
    return this.#facts.digest;
  }

  get target() {
    return this.#facts.target;
  }

  get envelope() {
    return this.#facts.envelope;
  }

  get rules() {
    return this.#facts.rules;
  }

  get source() {
    return this.#facts.source;
  }

  get warnings() {
    return this.#facts.warnings;
  }

  /** The canonical JSON, of which `digest` is the SHA-256. */
  json() {
    return this.#json;
  }

  /** Opens a dive. */
  open(seed = 0) {
    if (typeof seed !== 'number' && typeof seed !== 'bigint') {
      throw invalid('seed', `a whole number is needed, as a number or a bigint, not ${kind(seed)}`);
    }
    return new Dive(inside, () => this.#use((world) => world.open(String(seed))));
  }

  /** Goes on with a dive that was saved. */
  resume(text) {
    wantText('text', text);
    return new Dive(inside, () => this.#use((world) => world.resume(text)));
  }

  [replayed](card, log) {
    this.#use((world) => world.replay(card, log));
  }

  /** Gives its memory back now; dives in it go on. Without it, that happens some time after nobody has the stage any more. */
  free() {
    const world = this.#world;
    const generation = this.#generation;
    this.#world = undefined;
    this.#compile = undefined;
    if (world !== undefined) call((_, now) => generation === now && world.free());
  }

  /** Works with the stage; makes it ready again if the instance that held it failed. */
  #use(work) {
    if (this.#compile === undefined) throw invalid('', 'this stage was freed; make a new one');
    return call((engine, generation) => {
      if (this.#generation !== generation) {
        this.#world = this.#compile(engine);
        this.#generation = generation;
      }
      return work(this.#world);
    });
  }
}

/** One run through a stage. */
export class Dive {
  #dive;
  #generation;
  #observation;
  #seed;

  constructor(key, open) {
    if (key !== inside) throw invalid('', 'dives are opened by `stage.open(seed)`');
    call((_, generation) => {
      this.#generation = generation;
      this.#dive = open();
    });
    this.#observation = this.#observed();
    this.#seed = Number(this.#use((dive) => dive.seed()));
  }

  get seed() {
    return this.#seed;
  }

  /** What the world has shown last. */
  get observation() {
    return this.#observation;
  }

  /** How many actions there were. */
  get turn() {
    return this.#observation.turn;
  }

  /** Whether the world has ended. */
  get done() {
    return this.#observation.done;
  }

  /** The sums so far. */
  get totals() {
    return freeze(JSON.parse(this.#use((dive) => dive.totals())));
  }

  /** The head of the hash chain over actions and readings. */
  get chain() {
    return this.#use((dive) => dive.chain());
  }

  /** A line of JSON for each action, with which a card can be computed again. */
  get log() {
    return freeze(this.#use((dive) => dive.log()));
  }

  /** Takes one action; what is refused leaves the dive as it was. */
  act(action) {
    wantText('action', action);
    const told = this.#use((dive) => dive.act(action));
    this.#observation = this.#observed();
    return new DiveStep(made, told, this.#observation);
  }

  /** The whole dive as text, with which `stage.resume` goes on. */
  save() {
    return this.#use((dive) => dive.save());
  }

  /** The card of the dive, as often as it is asked for. */
  close(options) {
    known('options', options, ['diveId', 'agent', 'summary']);
    const { diveId, agent, summary } = options;
    wantText('options.diveId', diveId);
    if (agent !== undefined) {
      known('options.agent', agent, ['id', 'version']);
      wantText('options.agent.id', agent.id);
      if (agent.version !== undefined) wantText('options.agent.version', agent.version);
    }
    if (summary !== undefined) wantText('options.summary', summary);
    return new StageCard(made, this.#use((dive) => dive.close(diveId, agent?.id, agent?.version, summary)));
  }

  /** Gives its memory back now. Without it, that happens some time after nobody has the dive any more. */
  free() {
    const dive = this.#dive;
    const generation = this.#generation;
    this.#dive = undefined;
    if (dive !== undefined) call((_, now) => generation === now && dive.free());
  }

  #observed() {
    return new Observation(made, this.#use((dive) => dive.observation()));
  }

  #use(work) {
    if (this.#dive === undefined) throw invalid('', 'this dive was freed; open another, or resume what was saved');
    return call((_, generation) => {
      if (generation !== this.#generation) {
        throw new SonometerError('internal_error', 'the engine failed, and this dive went with it; open another, or resume what was saved');
      }
      return work(this.#dive);
    });
  }
}

for (const { prototype } of [Stage, Dive]) {
  Object.defineProperty(prototype, Symbol.dispose ?? Symbol.for('Symbol.dispose'), {
    value: prototype.free,
    configurable: true,
    writable: true,
  });
}

/** What the world shows after an action, and on arrival. */
export class Observation {
  #json;

  constructor(key, json) {
    if (key !== made) throw invalid('', 'observations are made by dives');
    this.#json = json;
    Object.assign(this, JSON.parse(json));
    Object.freeze(this);
  }

  /** The canonical JSON, byte for byte as the engine wrote it. */
  json() {
    return this.#json;
  }
}

/** What an action came to. */
export class DiveStep {
  #json;

  constructor(key, [json, measured, totals, checkpoints, flags], observation) {
    if (key !== made) throw invalid('', 'steps are made by `dive.act(action)`');
    this.#json = json;
    this.observation = observation;
    this.measured = JSON.parse(measured);
    this.checkpoints = checkpoints.split('\n').slice(0, -1);
    this.flags = flags.split('\n').slice(0, -1);
    this.totals = JSON.parse(totals);
    freeze(this);
  }

  /** The canonical JSON of what the service tells of a step, byte for byte as the engine wrote it. */
  json() {
    return this.#json;
  }
}

function targetOf([type, ...told]) {
  const stamps = [];
  for (let at = 0; at < told.length; at += 3) {
    const [id, version, digest] = told.slice(at, at + 3);
    stamps.push({ id, version, digest });
  }
  const [own, ...protocols] = stamps;
  return { type, ...own, protocols };
}

const STAGE_FACTS = ['id', 'version', 'name', 'status', 'description', 'source'];

/** Every stage that ships. */
export function stages() {
  const told = call((engine) => engine.World.stages());
  const entries = [];
  for (let at = 0; at < told.length; at += STAGE_FACTS.length) {
    entries.push(Object.fromEntries(STAGE_FACTS.map((fact, offset) => [fact, told[at + offset]])));
  }
  return freeze(entries);
}
