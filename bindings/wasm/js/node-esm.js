// ES modules in Node share the instance, and the classes, with whoever uses `require`.
import sonometer from './node.cjs';

export const { Comparison, Estimate, Guard, Interaction, Reading, Sensor, Session, SonometerError, catalog, fingerprint, init } = sonometer;
