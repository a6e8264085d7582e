// What `sonometer/dives` has besides all of `sonometer`.
export { StageCard, readLog } from './card.js';
export { signCard, verifyCard } from './signature.js';
export { Dive, DiveStep, Observation, Stage, stages } from './stage.js';
