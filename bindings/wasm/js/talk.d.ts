/// <reference lib="dom" />
import type { ReadingLike } from './highlight.js';
import type { InteractionInput, Reading, Sensor, SonometerError, Shown } from './index.js';
import type { Sensor as WorkerSensor } from './worker.js';

export { highlight } from './highlight.js';
export type { HighlightOptions, Highlighted, Mark, Part, ReadingLike } from './highlight.js';

/**
 * The element `<sonometer-talk>`, defined by importing this module. Give it `talk` and `sensor`, and it measures; or `reading` with
 * `talk` or `shown`, where that was done elsewhere. What a protocol masks is masked wherever the element shows or names it.
 *
 * Attributes: `legend="none"` leaves the list of markers out, `profile="detailed"` or `"discovery"` shows what counts against and
 * what was nearly found. Parts for style sheets: `turn`, `role`, `mark`, `masked`, `legend`, `note`.
 */
export class SonometerTalk extends HTMLElement {
  talk: InteractionInput | undefined;
  sensor: Sensor | WorkerSensor | undefined;
  reading: ReadingLike | Reading | undefined;
  /** By `sensor.shown(talk)`. */
  shown: readonly Shown[] | undefined;
  /** By default those of `sensor`. */
  effects: Readonly<Record<string, 'improves' | 'worsens'>> | undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    'sonometer-talk': SonometerTalk;
  }
  interface HTMLElementEventMap {
    /** A talk was measured and is shown. */
    'sonometer-reading': CustomEvent<Reading>;
    /** It cannot be shown: an error of what was given. */
    'sonometer-error': CustomEvent<SonometerError>;
  }
}
