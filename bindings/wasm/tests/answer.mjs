// The answer of this door to one case of `cargo xtask doors`. Used in Node and, by the page of the tests, in Chromium.

/**
 * @param {typeof import('sonometer')} sonometer
 * @param {{target: string, shelf: string[], interaction: string, interaction_b: string | null, view: object, feed: string}} aCase
 * @returns {string} the canonical JSON, or the error as JSON
 */
export function answer(sonometer, aCase) {
  const { Interaction, Sensor, SonometerError } = sonometer;
  try {
    const sensor = Sensor.from(aCase.target, { shelf: aCase.shelf, shipped: false });
    try {
      const other = aCase.interaction_b == null ? undefined : Interaction.parse(aCase.interaction_b);
      const interaction = Interaction.parse(aCase.interaction);
      if (other !== undefined) return sensor.compare(interaction, other).json();
      const asked = options(aCase.view);
      if (aCase.feed === 'whole') return sensor.sense(interaction, asked).json();
      return fed(sensor, JSON.parse(aCase.interaction), asked, aCase.feed);
    } finally {
      sensor.free();
    }
  } catch (error) {
    if (!(error instanceof SonometerError)) throw error;
    const { code, message, place } = error;
    return JSON.stringify({ code, message, place });
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
function fed(sensor, { content, segments }, asked, feed) {
  const session = sensor.session(asked);
  try {
    if (segments === undefined) {
      for (const piece of pieces(content, feed)) session.push(piece);
    } else if (feed === 'segment') {
      for (const segment of segments) session.pushSegment(segment);
    } else {
      for (const { role, content, timestamp } of segments) {
        session.beginSegment(role, { timestamp });
        for (const piece of pieces(content, feed)) session.push(piece);
      }
    }
    return session.finish().json();
  } finally {
    session.free();
  }
}

/** A text in pieces; an empty one is one empty piece, so that it is known to be a text. */
function pieces(text, feed) {
  if (text === '' || feed === 'segment') return [text];
  if (feed === 'byte') return Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte));
  if (feed === 'token') return text.match(/[^ ]* ?/g);
  throw new Error(`no feed ${feed}`);
}
