// Where the installed package lies: beside this file, or (seen from the repository) where `../test` puts it.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? resolve(here, '../../../target');

/** The folder of the installed package with the tests beside it. */
export const app = [here, join(target, 'wasm/app')].find((folder) => existsSync(join(folder, 'node_modules/sonometer')));
if (app === undefined) {
  console.error('the package is not installed; run bindings/wasm/test');
  process.exit(2);
}

/** The package as an ES module. */
export const sonometer = await import(pathToFileURL(join(app, 'node_modules/sonometer/node.js')).href);
