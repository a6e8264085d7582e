import type { Against, Evidence, InteractionInput, Reading, Shown, WeakSignal } from './index.js';

/** What a reading says, as far as `highlight` needs it: a `Reading` of this page or of a worker, or its JSON read again. */
export interface ReadingLike {
  readonly resonance: Readonly<Record<string, number>>;
  readonly evidence: readonly Evidence[];
  readonly against?: readonly Against[];
  readonly weak_signals?: readonly WeakSignal[];
}

/** What was found in a part of a talk. */
export interface Mark {
  readonly metamarker: string;
  /** `weak`: nearly found, and does not count. */
  readonly kind: 'evidence' | 'against' | 'weak';
  readonly effect: 'improves' | 'worsens';
  /** The colour of the marker, in degrees: cool ones are good news, warm ones bad. */
  readonly hue: number;
  /** The style of the line under it, which tells neighbours apart without colour. */
  readonly line: 'solid' | 'dashed' | 'double' | 'dotted';
  /** What it adds to its marker, or takes away; `null` where that is not known. */
  readonly score: number | null;
}

/** A stretch of a turn with the same marks. */
export interface Part {
  /** As it may be shown; empty where a mask removes everything. */
  readonly text: string;
  /** Whether the text stands for something private. */
  readonly masked: boolean;
  readonly marks: readonly Mark[];
}

/** One turn, or the whole of a text. */
export interface Highlighted {
  readonly role: string | undefined;
  readonly parts: readonly Part[];
}

export interface HighlightOptions {
  /** Which markers are good news: `sensor.effects`. Without it all of them. */
  readonly effects?: Readonly<Record<string, 'improves' | 'worsens'>> | undefined;
  /** The order of the markers, which gives them their colours: `sensor.markers`. Without it the order in the reading. */
  readonly markers?: readonly string[] | undefined;
}

/**
 * Cuts a talk at its evidence. What a protocol masks is masked in every part.
 *
 * @param talk What the reading is of. Where the reading came from a worker or was read from JSON: what `sensor.shown(talk)` gave.
 * @throws {SonometerError} `invalid_request` if the reading is of another talk or has no places
 */
export function highlight(talk: InteractionInput, reading: Reading, options?: HighlightOptions): readonly Highlighted[];
export function highlight(shown: readonly Shown[], reading: ReadingLike, options?: HighlightOptions): readonly Highlighted[];
