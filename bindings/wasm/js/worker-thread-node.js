// The script of a thread of Node.
import { parentPort } from 'node:worker_threads';
import * as sonometer from './node.js';
import { answerBy } from './thread.js';

const answer = answerBy(sonometer, (message) => parentPort.postMessage(message));
parentPort.on('message', answer);
