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
  const shown = isShown(talk) ? talk : shownOf(talk, reading);
  const toned = tones(markers, effects);
  const places = shown.map(() => []);
  const add = (found, own) => {
    const { metamarker, segment = 0, start, end, joined = [] } = own;
    if (start === undefined || end === undefined) {
      // Weak signals may have no place; evidence without one cannot be marked.
      if (found === 'weak') return;
      throw invalid('reading', 'this reading has no places; sense without `offsets: false`');
    }
    const stretches = [{ segment, start, end }, ...joined];
    if (!belongs(own.source, stretches, shown)) {
      throw invalid('reading', 'this reading is not of this talk; give both as they belong together, with places that count UTF-16 units');
    }
    const { effect, hue, line } = toned.get(metamarker) ?? { effect: 'improves', hue: 205, line: 'solid' };
    const mark = { metamarker, kind: found, effect, hue, line, score: (found === 'against' ? own.weight : own.score) ?? null };
    for (const place of stretches) places[place.segment].push({ start: place.start, end: place.end, mark });
  };
  for (const own of reading.evidence) add('evidence', own);
  for (const own of reading.against ?? []) add('against', own);
  for (const own of reading.weak_signals ?? []) add('weak', own);
  return freeze(shown.map(({ role, text, masks }, at) => ({ role, parts: cut(text, masks, places[at]) })));
}

function isShown(talk) {
  return Array.isArray(talk) && talk.length > 0 && talk.every((turn) => Array.isArray(turn?.masks));
}

function shownOf(talk, reading) {
  if (typeof reading.shown === 'function') return reading.shown(talk);
  throw invalid('talk', 'this reading does not know its sensor, so what is masked is not known; give `sensor.shown(talk)` in the place of the talk');
}

/** Whether the source of evidence stands at its place, as far as masks let that be seen. */
function belongs(source, stretches, shown) {
  const seen = [];
  let hidden = false;
  for (const { segment, start, end } of stretches) {
    const turn = shown[segment];
    if (turn === undefined || start > end || end > originalLength(turn)) return false;
    hidden ||= turn.masks.some((mask) => mask.start < end && start < mask.end);
    const from = placeOf(turn.masks, start);
    seen.push(turn.text.slice(from, from + end - start));
  }
  return hidden || seen.join('\n') === source;
}

/** Where a place of the talk that no mask covers is in what is shown. */
function placeOf(masks, at) {
  return masks.reduce((place, { start, end, shown }) => (end <= at ? place + shown.length - (end - start) : place), at);
}

function originalLength({ text, masks }) {
  return masks.reduce((length, { start, end, shown }) => length + end - start - shown.length, text.length);
}

/** The parts of one turn. A mask is one part, with everything that was found in it: where in it would tell of what it hides. */
function cut(text, masks, places) {
  const parts = [];
  const put = (shown, marks, masked) => {
    if (shown !== '' || masked) parts.push({ text: shown, masked, marks });
  };
  const marksAt = (from, to) => places.filter(({ start, end }) => start < to && from < end).map(({ mark }) => mark);
  let shift = 0;
  let done = 0;
  const plain = (until) => {
    const edges = places.flatMap(({ start, end }) => [start, end]).filter((at) => at > done && at < until);
    for (const at of [...new Set([...edges, until])].sort((a, b) => a - b)) {
      put(text.slice(done + shift, at + shift), marksAt(done, at), false);
      done = at;
    }
  };
  for (const { start, end, shown } of masks) {
    if (start > done) plain(start);
    put(shown, marksAt(start, end), true);
    shift += shown.length - (end - start);
    done = end;
  }
  const length = text.length - shift;
  if (length > done) plain(length);
  return parts;
}
