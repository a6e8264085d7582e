// The workbench page: makes its parts and lets them know of each other.
import { fill, byId, h } from './page/dom.js';
import { App } from './page/app.js';

const app = new App();
app.begin().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  fill(byId('state'), '');
  fill(byId('reading'), h('p', { class: 'warn' }, `The engine cannot be loaded: ${message}`));
});
