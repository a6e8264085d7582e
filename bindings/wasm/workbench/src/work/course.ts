// A talk as it goes on: its course, what a guard lets through, and how it looks masked.
import { Sensor, type Evidence, type Session } from 'sonometer';
import type { Course, Protocol, Streamed, Talk, TalkTurn } from '../shared/asks.js';

/** Turns for which the score is asked; of longer talks it is asked at so many places. */
const MOST_ASKED = 200;

function sensor({ source, files }: Protocol): Sensor {
  return Sensor.fromSource(source, { files });
}

/** The turns that say something; the engine skips others. */
function turnsOf(talk: Talk): readonly TalkTurn[] {
  return typeof talk === 'string' ? [] : talk.filter((turn) => turn.content !== '');
}

export function course(protocol: Protocol, talk: Talk): Course {
  const turns = turnsOf(talk);
  const whole = sensor(protocol);
  const session = whole.session();
  const step = Math.max(1, Math.ceil(turns.length / MOST_ASKED));
  const scores: (number | null)[] = [];
  let last: number | null = null;
  turns.forEach((turn, at) => {
    session.pushSegment(turn);
    if (at % step === 0 || at === turns.length - 1) last = session.soFar().score;
    scores.push(last);
  });
  const shares = turns.map(({ role }) => ({ role, improves: 0, worsens: 0 }));
  const driven: Record<string, number> = {};
  if (turns.length > 0) {
    for (const { segment = 0, metamarker, score } of session.soFar().evidence) {
      const turn = shares[segment];
      if (turn === undefined) continue;
      turn[whole.effects[metamarker] ?? 'improves'] += score;
      driven[turn.role] = (driven[turn.role] ?? 0) + 1;
    }
  }
  session.free();
  whole.free();
  return { scores, turns: shares, driven };
}

/** Each word as a chunk, as models give them. */
function chunks(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

export function stream(protocol: Protocol, talk: Talk): Streamed[] {
  const whole = sensor(protocol);
  const session = whole.session({ release: true });
  const turns: readonly TalkTurn[] = typeof talk === 'string' ? [{ role: '', content: talk }] : turnsOf(talk);
  const shown: string[] = turns.map(() => '');
  const told: Streamed[] = [];
  let came = 0;
  const take = (step: ReturnType<Session['push']>, chunk: string, segment: number, isEnd: boolean) => {
    for (const { segment: at, text } of step.released ?? []) shown[at] = (shown[at] ?? '') + text;
    came += chunk.length;
    const { segment: at, offset } = step.released_to;
    const before = turns.slice(0, at).reduce((sum, turn) => sum + turn.content.length, 0);
    const events = step.events.flatMap((event) => {
      if (event.event === 'evidence') return [`${event.metamarker}: “${event.source}”`];
      if (event.event === 'mask') return [`masked as ${event.shown === '' ? 'nothing' : event.shown}`];
      return [];
    });
    told.push({ chunk, segment, released: [...shown], held: isEnd ? 0 : Math.max(0, came - before - offset), events });
  };
  turns.forEach(({ role, content }, at) => {
    // That a turn is over lets go of what was held back at its end.
    if (typeof talk !== 'string') take(session.beginSegment(role), '', at, false);
    for (const chunk of chunks(content)) take(session.push(chunk), chunk, at, false);
  });
  take(session.end(), '', Math.max(0, turns.length - 1), true);
  session.free();
  whole.free();
  return told;
}

/** The text of every turn as it would be shown. */
export function masked(protocol: Protocol, talk: Talk, mask: string): string[] {
  const whole = sensor(protocol);
  // Names that are the same in every text need a key; a page has none of its own, so this one is for looking only.
  const key = mask === 'keyed' ? { maskKey: new TextEncoder().encode('only for looking') } : {};
  const session = whole.session({ release: true, ...(mask === '' ? {} : { mask }), ...key });
  const turns: readonly TalkTurn[] = typeof talk === 'string' ? [{ role: '', content: talk }] : turnsOf(talk);
  const shown: string[] = turns.map(() => '');
  const take = (step: ReturnType<Session['push']>) => {
    for (const { segment, text } of step.released ?? []) shown[segment] = (shown[segment] ?? '') + text;
  };
  if (typeof talk === 'string') take(session.push(talk));
  else turns.forEach((turn) => take(session.pushSegment(turn)));
  take(session.end());
  session.free();
  whole.free();
  return shown;
}

/** Evidence that one reading has and the other has not. */
export function missing(from: readonly Evidence[], other: readonly Evidence[]): Evidence[] {
  const key = (evidence: Evidence) => JSON.stringify([evidence.metamarker, evidence.segment ?? 0, evidence.start, evidence.end]);
  const known = new Set(other.map(key));
  return from.filter((evidence) => !known.has(key(evidence)));
}
