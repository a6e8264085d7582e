// ES modules in Node share the instance and the classes with code that uses `require`.
import sonometer from './node.cjs';

export const {
  Comparison, Dive, DiveStep, Estimate, Guard, Interaction, Observation, Reading, Sensor, Session, SonometerError, Stage, StageCard, catalog,
  fingerprint, init, readLog, signCard, stages, verifyCard,
} = sonometer;
