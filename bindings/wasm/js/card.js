// The card of a dive: what it came to, in the engine's canonical JSON, and beside it the same as frozen objects.
import { call } from './engine.js';
import { freeze, invalid } from './errors.js';
import { wantText } from './interaction.js';
import { kind } from './kind.js';
import { made } from './reading.js';
import { Stage, replayed } from './stage.js';

/** How a dive went. */
export class StageCard {
  #json;

  constructor(key, json) {
    if (key !== made) throw invalid('', 'cards are made by `dive.close()`, and read by `StageCard.read(text)`');
    this.#json = json;
    Object.assign(this, JSON.parse(json));
    freeze(this);
  }

  /** Reads the text of a card strictly: every key, the one way to write it, sums that add up. */
  static read(text) {
    wantText('card', text);
    const [json] = call((engine) => engine.World.readCard(text));
    return new StageCard(made, json);
  }

  /** The canonical JSON, byte for byte as the engine writes it. */
  json() {
    return this.#json;
  }

  /** The same as an object of one's own, which can be changed. */
  toObject() {
    return JSON.parse(this.#json);
  }

  /** The bytes that are signed: the canonical JSON without the signature. */
  signedJson() {
    return call((engine) => engine.World.readCard(this.#json))[1];
  }

  /** The same card with another signature. */
  withSignature(signature) {
    wantText('signature', signature);
    return new StageCard(made, call((engine) => engine.World.withSignature(this.#json, signature)));
  }

  /** Computes the card again from the log of its actions; throws at the first thing that differs. */
  replay(log, stage) {
    const text = logText(log);
    if (stage !== undefined && !(stage instanceof Stage)) throw invalid('stage', `a \`Stage\` is needed, not ${kind(stage)}`);
    if (stage === undefined) readLog(text);
    const named = stage ?? Stage.shipped(`${this.stage.id}@${this.stage.version}`);
    try {
      named[replayed](this.#json, text);
    } finally {
      if (stage === undefined) named.free();
    }
  }
}

/** The actions of a log, which is read strictly. */
export function readLog(log) {
  const text = logText(log);
  return call((engine) => engine.World.readLog(text));
}

function logText(log) {
  if (Array.isArray(log)) log.forEach((line, at) => wantText(`log[${at}]`, line));
  const text = Array.isArray(log) ? log.join('\n') : log;
  wantText('log', text);
  return text;
}
