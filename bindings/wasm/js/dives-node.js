// `sonometer/dives` for Node: everything, over the module that knows stages.
export * from './node.js';
export * from './dives.js';
