// The answer of this door to one case of `cargo xtask doors`. Used in Node and, by the page of the tests, in Chromium.
import { diveAnswer, proofAnswer } from './dive-answer.mjs';

/**
 * @param {typeof import('sonometer')} sonometer the package
 * @param {object} aCase a case of `fixtures/dives/README.md`, or one to be measured: `target`, `shelf`, `interaction`,
 * `interaction_b`, `view`, `feed`
 * @returns {Promise<string>} the engine's JSON, or the error as JSON
 */
export async function answer(sonometer, aCase) {
  try {
    if (aCase.dive) return await diveAnswer(sonometer, aCase.dive);
    if (aCase.card) return await proofAnswer(sonometer, aCase.card);
    return await sensed(sonometer, aCase);
  } catch (error) {
    if (!(error instanceof sonometer.SonometerError)) throw error;
    return told(error);
  }
}

/** The answers to many cases, one after the other. */
export async function answers(sonometer, cases) {
  const all = [];
  for (const one of cases) all.push(await answer(sonometer, one));
  return all;
}

/** The places of options, as requests over HTTP and the vectors name them. */
const REQUESTED = {
  'options.maskKey': 'mask_key',
  'options.flow': 'v1_5.actant.analyze_flow',
  'options.flow.primary': 'v1_5.actant.primary',
  'options.temporal': 'v1_5.temporal.analyze_dynamics',
  'options.temporal.window': 'v1_5.temporal.window_seconds',
};

/** An error as JSON. */
export function told({ code, message, place }) {
  return JSON.stringify({ code, message, place: REQUESTED[place] ?? place });
}

/** Everything is waited for, so that the same cases run through a worker. */
async function sensed({ Interaction, Sensor }, aCase) {
  const sensor = await Sensor.fromSource(aCase.target, { shelf: aCase.shelf, shipped: false });
  try {
    const other = aCase.interaction_b == null ? undefined : await Interaction.parse(aCase.interaction_b);
    const interaction = await Interaction.parse(aCase.interaction);
    if (other !== undefined) return (await sensor.compare(interaction, other)).json();
    const asked = options(aCase.view);
    if (aCase.feed === 'whole') return (await sensor.sense(interaction, asked)).json();
    return await fed(sensor, JSON.parse(aCase.interaction), asked, aCase.feed);
  } finally {
    await sensor.free();
  }
}

function options(view) {
  const { profile, offsets, flow, temporal } = view;
  return {
    profile,
    offsets: offsets ?? false,
    flow: flow ? { primary: flow.primary ?? undefined } : false,
    temporal: temporal ? { window: temporal.window == null ? undefined : Number(temporal.window) } : false,
  };
}

/** The same through a session, bit by bit. */
async function fed(sensor, { content, segments }, asked, feed) {
  const session = await sensor.session(asked);
  try {
    if (segments === undefined) {
      for (const piece of pieces(content, feed)) await session.push(piece);
    } else if (feed === 'segment') {
      for (const segment of segments) await session.pushSegment(segment);
    } else {
      for (const { role, content, timestamp } of segments) {
        await session.beginSegment(role, { timestamp });
        for (const piece of pieces(content, feed)) await session.push(piece);
      }
    }
    return (await session.finish()).json();
  } finally {
    await session.free();
  }
}

/** A text in pieces; an empty one is one empty piece, so that it is known to be a text. */
function pieces(text, feed) {
  if (text === '' || feed === 'segment') return [text];
  if (feed === 'byte') return Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte));
  if (feed === 'token') return text.match(/[^ ]* ?/g);
  throw new Error(`no feed ${feed}`);
}
