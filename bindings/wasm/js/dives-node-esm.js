// ES modules in Node share the instance, and the classes, with whoever uses `require`.
import sonometer from './dives-node.cjs';

export const {
  Comparison, Dive, DiveStep, Estimate, Guard, Interaction, Reading, Sensor, Session, SonometerError, Stage, StageCard, catalog, fingerprint, init,
  signCard, stages, verifyCard,
} = sonometer;
