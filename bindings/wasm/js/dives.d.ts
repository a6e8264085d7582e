// The former entry for stages and dives. It is `sonometer` under another name, and goes away with the next version.
export type * from './index.js';
export {
  /** @deprecated Import it from `sonometer`. */
  Comparison,
  /** @deprecated Import it from `sonometer`. */
  Dive,
  /** @deprecated Import it from `sonometer`. */
  DiveStep,
  /** @deprecated Import it from `sonometer`. */
  Estimate,
  /** @deprecated Import it from `sonometer`. */
  Guard,
  /** @deprecated Import it from `sonometer`. */
  Interaction,
  /** @deprecated Import it from `sonometer`. */
  Observation,
  /** @deprecated Import it from `sonometer`. */
  Reading,
  /** @deprecated Import it from `sonometer`. */
  Sensor,
  /** @deprecated Import it from `sonometer`. */
  Session,
  /** @deprecated Import it from `sonometer`. */
  SonometerError,
  /** @deprecated Import it from `sonometer`. */
  Stage,
  /** @deprecated Import it from `sonometer`. */
  StageCard,
  /** @deprecated Import it from `sonometer`. */
  catalog,
  /** @deprecated Import it from `sonometer`. */
  fingerprint,
  /** @deprecated Import it from `sonometer`. */
  init,
  /** @deprecated Import it from `sonometer`. */
  readLog,
  /** @deprecated Import it from `sonometer`. */
  signCard,
  /** @deprecated Import it from `sonometer`. */
  stages,
  /** @deprecated Import it from `sonometer`. */
  verifyCard,
} from './index.js';
