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
      return sensor.sense(interaction, options(aCase.view)).json();
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
