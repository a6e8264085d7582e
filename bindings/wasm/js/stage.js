// Worlds that answer what an agent says: a stage, made ready once, and the dives in it.
import { call } from './engine.js';
import { finding, freeze, invalid } from './errors.js';
import { Held, describe, disposable, table, taken } from './held.js';
import { wantText } from './interaction.js';
import { kind } from './kind.js';
import { known } from './options.js';
import { made } from './reading.js';
import { StageCard } from './card.js';
import { constructorOf, shelfTexts, sourceText } from './source.js';

const inside = Symbol();
/** How cards are replayed in a stage; nobody else has this name. */
export const replayed = Symbol();

/** A stage made ready with what senses it. */
export class Stage {
  #world;
  #json;

  constructor(key, compile) {
    if (key !== inside) throw invalid('', constructorOf('Stage', key));
    this.#world = new Held(compile, { freed: 'this stage was freed; make a new one' });
    const { facts, json, checkpoints, flags, ...more } = this.#world.use((world) => ({
      facts: world.facts(),
      json: world.canonical(),
      source: world.source(),
      checkpoints: world.checkpoints(),
      flags: world.flags(),
      warnings: world.warnings().map(finding),
    }));
    const { id, name, version, status, description, objective, roles, envelope, publication } = JSON.parse(json);
    const [digest, ...target] = facts;
    this.#json = json;
    describe(this, {
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
      rules: { checkpoints, flags, max_turns: envelope.max_turns },
      ...more,
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
  static fromSource(source, options = {}) {
    known('options', options, ['shelf']);
    const text = sourceText('source', source, 'stage', 'Stage');
    const others = shelfTexts(options.shelf ?? []);
    return new Stage(inside, (engine) => engine.World.read(text, others));
  }

  /** The former name of `fromSource`. */
  static from(source, options) {
    return Stage.fromSource(source, options);
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
    return new Dive(inside, () => this.#world.use((world) => world.open(String(seed))));
  }

  /** Goes on with a dive that was saved. */
  resume(text) {
    wantText('text', text);
    return new Dive(inside, () => this.#world.use((world) => world.resume(text)));
  }

  [replayed](card, log) {
    this.#world.use((world) => world.replay(card, log));
  }

  /** Gives its memory back now; dives in it go on. */
  free() {
    this.#world.free();
  }
}
disposable(Stage);

const STEP = ['json', 'measured', 'totals', 'checkpoints', 'flags'];

/** One run through a stage. */
export class Dive {
  #dive;
  #observation;
  #seed;

  constructor(key, open) {
    if (key !== inside) throw invalid('', 'dives are opened by `stage.open(seed)`');
    this.#dive = new Held(open, {
      freed: 'this dive was freed; open another, or resume what was saved',
      lost: 'the engine failed, and this dive went with it; open another, or resume what was saved',
    });
    this.#observation = this.#observed();
    this.#seed = Number(this.#dive.use((dive) => dive.seed()));
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
    return freeze(JSON.parse(this.#dive.use((dive) => dive.totals())));
  }

  /** The head of the hash chain over actions and readings. */
  get chain() {
    return this.#dive.use((dive) => dive.chain());
  }

  /** A line of JSON for each action, with which a card can be computed again. */
  get log() {
    return freeze(this.#dive.use((dive) => dive.log()));
  }

  /** Takes one action; what is refused leaves the dive as it was. */
  act(action) {
    wantText('action', action);
    const { json, measured, totals, ...names } = this.#dive.use((dive) => taken(dive.act(action), STEP));
    this.#observation = this.#observed();
    return new DiveStep(made, json, {
      observation: this.#observation,
      measured: JSON.parse(measured),
      ...names,
      totals: JSON.parse(totals),
    });
  }

  /** The whole dive as text, with which `stage.resume` goes on. */
  save() {
    return this.#dive.use((dive) => dive.save());
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
    return new StageCard(made, this.#dive.use((dive) => dive.close(diveId, agent?.id, agent?.version, summary)));
  }

  /** Gives its memory back now. */
  free() {
    this.#dive.free();
  }

  #observed() {
    return new Observation(made, this.#dive.use((dive) => dive.observation()));
  }
}
disposable(Dive);

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

  constructor(key, json, members) {
    if (key !== made) throw invalid('', 'steps are made by `dive.act(action)`');
    this.#json = json;
    Object.assign(this, members);
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
  return table(
    STAGE_FACTS,
    call((engine) => engine.World.stages()),
  );
}
