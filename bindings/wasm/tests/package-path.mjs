// Where the installed package lies; `../test` installs it from its archive.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const out = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'wasm');
export const app = join(out, 'app');
export const installed = join(app, 'node_modules', 'sonometer');

if (!existsSync(installed)) {
  console.error(`there is no ${installed}; run bindings/wasm/test first`);
  process.exit(2);
}

/** The package as an ES module. */
export const sonometer = await import(pathToFileURL(join(installed, 'node.js')).href);
