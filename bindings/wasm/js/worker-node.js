// The engine in a thread of Node: `sonometer/worker`.
import { Worker } from 'node:worker_threads';
import { spawnBy } from './remote.js';

export { Comparison, Estimate, Reading } from './reading.js';
export { SonometerError } from './errors.js';
export { Guard, Interaction, Sensor, Session, catalog, fingerprint, init, terminate } from './remote.js';

spawnBy((own) => {
  const worker = own === undefined ? new Worker(new URL('./worker-thread-node.js', import.meta.url)) : own();
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    hear: (message, failure) => {
      worker.on('message', message);
      worker.on('error', (error) => failure(error.message));
      worker.on('messageerror', () => failure('a message cannot be read'));
    },
    // A process that only waits for a worker with nothing to do may end.
    idle: (isIdle) => (isIdle ? worker.unref() : worker.ref()),
    stop: () => void worker.terminate(),
  };
});
