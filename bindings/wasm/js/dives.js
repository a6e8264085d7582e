// What `sonometer/dives` has besides all of `sonometer`.
export { StageCard } from './card.js';
export { signCard, verifyCard } from './signature.js';
export { Dive, DiveStep, Stage, stages } from './stage.js';
