// `sonometer/dives` for browsers and bundlers: everything, over the module that knows stages.
export * from './web.js';
export * from './dives.js';
