// Each marker has a hue of its own, and a line style for people who cannot see hues.

const GOLDEN = 0.618034;
/** Where the hues of each side begin, and how many degrees they have: cool for good news, warm for bad. */
const HUES = { improves: [130, 150], worsens: [330, 90] };
const LINES = ['solid', 'dashed', 'double', 'dotted'];

/** The tone of each marker: `effects` says by marker whether finding it is good news. The same markers have the same tones. */
export function tones(markers, effects) {
  const next = { improves: 0, worsens: 0 };
  const all = new Map();
  for (const marker of markers) {
    const effect = effects[marker] === 'worsens' ? 'worsens' : 'improves';
    const nth = next[effect]++;
    const [from, width] = HUES[effect];
    // Spread by the golden ratio: neighbours differ, and the twentieth still finds a gap.
    const hue = Math.round(from + ((nth * GOLDEN) % 1) * width) % 360;
    all.set(marker, { effect, hue, line: LINES[nth % LINES.length] });
  }
  return all;
}
