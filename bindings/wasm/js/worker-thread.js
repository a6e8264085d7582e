// The script of the worker of a page.
import * as sonometer from './web.js';
import { answerBy } from './thread.js';

const answer = answerBy(sonometer, (message) => postMessage(message));
addEventListener('message', ({ data }) => answer(data));
