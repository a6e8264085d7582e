// Modules of the page that need no page, for Node.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { need, out } from './browser.mjs';

const sources = join(import.meta.dirname, process.env.WORKBENCH_SOURCES ?? '../src');

export async function source(path) {
  const { outputFiles } = await need('esbuild').build({
    entryPoints: [join(sources, path)],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
    logLevel: 'silent',
    nodePaths: [join(out, 'tools/node_modules')],
    mainFields: ['module', 'main'],
  });
  const file = join(mkdtempSync(join(tmpdir(), 'workbench-unit-')), 'module.mjs');
  writeFileSync(file, outputFiles[0].text);
  return import(pathToFileURL(file));
}
