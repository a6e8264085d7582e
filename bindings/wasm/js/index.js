// What people import, but for `init`, which depends on where this runs.
export { StageCard, readLog } from './card.js';
export { SonometerError } from './errors.js';
export { Guard } from './guard.js';
export { Interaction } from './interaction.js';
export { Comparison, Estimate, Reading } from './reading.js';
export { Sensor } from './sensor.js';
export { Session } from './session.js';
export { signCard, verifyCard } from './signature.js';
export { Dive, DiveStep, Observation, Stage, stages } from './stage.js';
export { catalog, fingerprint } from './catalog.js';
