// The engine in a worker of a page: `sonometer/worker`.
import { spawnBy } from './remote.js';

export { Comparison, Estimate, Reading } from './reading.js';
export { SonometerError } from './errors.js';
export { Guard, Interaction, Sensor, Session, catalog, fingerprint, init, terminate } from './remote.js';

spawnBy("serve worker-thread.js and web.js beside worker.js, and allow 'self' as worker-src in your content security policy", (own) => {
  // Written as bundlers look for it.
  const worker = own ?? new Worker(new URL('./worker-thread.js', import.meta.url), { type: 'module', name: 'sonometer' });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    hear: (message, failure) => {
      worker.onmessage = ({ data }) => message(data);
      worker.onerror = (event) => failure(event.message || 'its script cannot be loaded');
      worker.onmessageerror = () => failure('a message cannot be read');
    },
    idle: () => {},
    stop: () => worker.terminate(),
  };
});
