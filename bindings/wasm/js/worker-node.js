// The engine in a thread of Node: `sonometer/worker`.
import { Worker } from 'node:worker_threads';
import { spawnBy } from './remote.js';

export { Comparison, Estimate, Reading } from './reading.js';
export { SonometerError } from './errors.js';
export { Guard, Interaction, Sensor, Session, catalog, fingerprint, init, terminate } from './remote.js';

spawnBy('keep worker-thread-node.js and node.js beside worker-node.js, and make new sensors if it has worked before', (own) => {
  const worker = own ?? new Worker(new URL('./worker-thread-node.js', import.meta.url));
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    hear: (message, failure) => {
      worker.on('message', message);
      worker.on('error', (error) => failure(error.message));
      // One that was stopped by others, or whose script has ended, answers nothing any more.
      worker.on('exit', (code) => failure(`it ended with the code ${code}`));
      worker.on('messageerror', () => failure('a message cannot be read'));
    },
    // A process that only waits for a worker with nothing to do may end.
    idle: (isIdle) => (isIdle ? worker.unref() : worker.ref()),
    stop: () => void worker.terminate(),
  };
});
