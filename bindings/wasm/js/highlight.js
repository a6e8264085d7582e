// A talk cut at its evidence, as plain data: what is masked is masked here too.
import { freeze, invalid } from './errors.js';
import { kind } from './kind.js';
import { known } from './options.js';
import { tones } from './tones.js';

/**
 * The turns of a talk, each cut into parts with what was found there. `talk` is what the reading is of, or what `sensor.shown(talk)`
 * gave; the second is needed where the reading came from a worker or was stored.
 */
export function highlight(talk, reading, options = {}) {
  if (!Array.isArray(reading?.evidence)) throw invalid('reading', `a reading is needed, not ${kind(reading)}`);
  const { effects = {}, markers = Object.keys(reading.resonance ?? {}) } = known('options', options, ['effects', 'markers']);
  if (!Array.isArray(markers)) throw invalid('options.markers', `a list of markers is needed, not ${kind(markers)}; give \`sensor.markers\``);
  if (typeof effects !== 'object' || effects === null) throw invalid('options.effects', `an object is needed, not ${kind(effects)}; give \`sensor.effects\``);
  const shown = isShown(talk) ? talk : shownOf(talk, reading);
  const toned = tones(markers, effects);
  const turns = shown.map((turn) => new Masked(turn));
  const places = shown.map(() => []);
  const add = (found, own) => {
    const { metamarker, segment = 0, start, end, joined = [] } = own;
    if (start === undefined || end === undefined) {
      // Weak signals may have no place; evidence without one cannot be marked.
      if (found === 'weak') return;
      throw invalid('reading', 'this reading has no places; sense without `offsets: false`');
    }
    const stretches = [{ segment, start, end }, ...joined];
    if (!belongs(own.source, stretches, turns)) {
      throw invalid('reading', 'this reading is not of this talk; give both as they belong together, with places that count UTF-16 units');
    }
    const { effect, hue, line } = toned.get(metamarker) ?? { effect: 'improves', hue: 205, line: 'solid' };
    const mark = { metamarker, kind: found, effect, hue, line, score: (found === 'against' ? own.weight : own.score) ?? null };
    for (const place of stretches) places[place.segment].push({ start: place.start, end: place.end, mark });
  };
  for (const own of reading.evidence) add('evidence', own);
  for (const own of reading.against ?? []) add('against', own);
  for (const own of reading.weak_signals ?? []) add('weak', own);
  return freeze(shown.map(({ role }, at) => ({ role, parts: cut(turns[at], places[at]) })));
}

function isShown(talk) {
  return Array.isArray(talk) && talk.length > 0 && talk.every((turn) => Array.isArray(turn?.masks));
}

function shownOf(talk, reading) {
  if (typeof reading.shown === 'function') return reading.shown(talk);
  throw invalid('talk', 'this reading does not know its sensor, so what is masked is not known; give `sensor.shown(talk)` in the place of the talk');
}

/** A turn as it is shown, with what its masks move. Masks come in their order and never overlap, so each question is a search by halves. */
class Masked {
  /** What may be shown. */
  text;
  masks;
  /** By mask, how far it and those before it move what follows. */
  #shifts = [];

  constructor({ text, masks }) {
    this.text = text;
    this.masks = masks;
    let shift = 0;
    for (const { start, end, shown } of masks) this.#shifts.push((shift += shown.length - (end - start)));
  }

  /** Units of the talk itself. */
  get length() {
    return this.text.length - (this.#shifts.at(-1) ?? 0);
  }

  /** How many masks end at a place or before. */
  #before(at) {
    let [low, high] = [0, this.masks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.masks[middle].end <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  hides(start, end) {
    const next = this.masks[this.#before(start)];
    return next !== undefined && next.start < end;
  }

  /** Where a place of the talk that no mask covers is in what is shown. */
  placeOf(at) {
    return at + (this.#shifts[this.#before(at) - 1] ?? 0);
  }
}

/** Whether the source of evidence stands at its place, as far as masks let that be seen. */
function belongs(source, stretches, turns) {
  const seen = [];
  let hidden = false;
  for (const { segment, start, end } of stretches) {
    const turn = turns[segment];
    if (turn === undefined || start > end || end > turn.length) return false;
    hidden ||= turn.hides(start, end);
    const from = turn.placeOf(start);
    seen.push(turn.text.slice(from, from + end - start));
  }
  return hidden || seen.join('\n') === source;
}

/**
 * The parts of one turn, from its beginning to its end. A mask is one part, with everything that was found in it: where in it would tell
 * of what it hides. Places are taken up and put down once each, so that many masks cost as much as the parts they make.
 */
function cut(turn, places) {
  const { text, masks } = turn;
  const parts = [];
  const edges = [...new Set(places.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const coming = places.map((place, order) => ({ ...place, order })).sort((a, b) => a.start - b.start);
  let nextEdge = 0;
  let nextPlace = 0;
  /** Places that the last part touched, in the order in which they were given. */
  let open = [];
  const put = (shown, from, to, masked) => {
    open = open.filter(({ end }) => end > from);
    const known = open.length;
    for (; coming[nextPlace]?.start < to; nextPlace += 1) if (coming[nextPlace].end > from) open.push(coming[nextPlace]);
    if (open.length > known) open.sort((a, b) => a.order - b.order);
    if (shown !== '' || masked) parts.push({ text: shown, masked, marks: open.map(({ mark }) => mark) });
  };
  let shift = 0;
  let done = 0;
  const plain = (until) => {
    const stop = (at) => {
      put(text.slice(done + shift, at + shift), done, at, false);
      done = at;
    };
    for (; edges[nextEdge] < until; nextEdge += 1) if (edges[nextEdge] > done) stop(edges[nextEdge]);
    stop(until);
  };
  for (const { start, end, shown } of masks) {
    if (start > done) plain(start);
    put(shown, start, end, true);
    shift += shown.length - (end - start);
    done = end;
  }
  if (turn.length > done) plain(turn.length);
  return parts;
}
