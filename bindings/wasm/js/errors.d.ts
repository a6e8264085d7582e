import type { Finding } from './readings.js';

export type ErrorCode =
  | 'invalid_request'
  | 'target_not_found'
  | 'insufficient_signal'
  | 'invalid_protocol'
  | 'payload_too_large'
  | 'internal_error'
  // Of dives and cards:
  | 'dive_closed'
  | 'action_too_long'
  | 'card_mismatch'
  | 'invalid_key'
  | 'not_supported';

/** The one error of this package. */
export class SonometerError extends Error {
  private constructor();
  readonly name: 'SonometerError';
  readonly code: ErrorCode;
  /** Where in what was given: `segments[3].role`, `line 4, column 7`, `options.profile`; empty where there is no place. */
  readonly place: string;
  readonly details: {
    /** Of `invalid_protocol`. */
    readonly findings?: readonly Finding[];
    /** Of half a surrogate pair: its place in the text. */
    readonly offset?: number;
  };
  toJSON(): Pick<SonometerError, 'code' | 'message' | 'place' | 'details'>;
}
