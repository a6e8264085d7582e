// The colours of markers: as in reports, cool hues are good news, warm ones bad. A marker has one colour as long as the protocol has
// the same markers, so that colours do not jump while somebody types. All of them count here, so hues are spread by the golden
// ratio: neighbours differ, and the twentieth still finds a gap.
import type { Effect, Facts } from '../shared/asks.js';

export interface Tone {
  readonly hue: number;
  readonly effect: Effect;
}

const GOLDEN = 0.618034;
/** Where the hues of each side begin, and how many degrees they have. */
const HUES = { improves: [130, 150], worsens: [330, 90] } as const;

function hueOf(effect: Effect, nth: number): number {
  const [from, width] = HUES[effect];
  return Math.round(from + ((nth * GOLDEN) % 1) * width) % 360;
}

const UNKNOWN: Tone = { hue: 205, effect: 'improves' };

export class Tones {
  readonly #tones = new Map<string, Tone>();

  constructor(facts: Facts | undefined) {
    const next = { improves: 0, worsens: 0 };
    facts?.markers.forEach((marker, at) => {
      const effect = facts.effects[at] ?? 'improves';
      const nth = next[effect];
      next[effect] += 1;
      const hue = hueOf(effect, nth);
      this.#tones.set(marker, { hue, effect });
    });
  }

  of(marker: string): Tone {
    return this.#tones.get(marker) ?? UNKNOWN;
  }
}

/** What a pole says, for people who do not see colours. */
export function said(effect: Effect): string {
  return effect === 'improves' ? 'good news' : 'bad news';
}

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
const known = new Set<number>();

/** A class that sets `--h`. A strict policy allows no `style` in attributes, which is how the editor would write it. */
export function hueClass({ hue }: Tone): string {
  if (!known.has(hue)) {
    known.add(hue);
    sheet.insertRule(`.h${hue} { --h: ${hue}; }`);
  }
  return `h${hue}`;
}
