import type { Sensor } from './index.js';

/** What must hold for the reading of an output. Bounds include their value. */
export interface Expected {
  /** The least score, 0 to 1. */
  readonly atLeast?: number | undefined;
  /** The greatest score, 0 to 1. */
  readonly atMost?: number | undefined;
  /** Metamarkers that must trigger. */
  readonly triggered?: readonly string[] | undefined;
  /** Metamarkers that must not. */
  readonly silent?: readonly string[] | undefined;
  /** Whether too little text to measure is a failure; `true` by default. */
  readonly sufficient?: boolean | undefined;
}

/** What promptfoo takes from an assertion. */
export interface Graded {
  readonly pass: boolean;
  /** The score of the reading, 0 to 1; 0 with too little text to measure. */
  readonly score: number;
  /** What does not hold, with evidence and its places in UTF-16, masked where the target masks. */
  readonly reason: string;
  /** The resonance of each metamarker, 0 to 1. */
  readonly namedScores: Readonly<Record<string, number>>;
}

/**
 * A function for an assertion of the type `javascript` in promptfoo: `module.exports = readingAssertion('courtesy', { atLeast: 0.5 })`.
 * @throws {SonometerError} `invalid_request` for what cannot be expected; `target_not_found`
 */
export function readingAssertion(target: string | Sensor, expected?: Expected): (output: string) => Graded;
