// The declarations: what they accept and what they refuse, as modules of Node see them and as bundlers do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as sonometer from 'sonometer';

const here = import.meta.dirname;
const tools = join(here, '../tools/node_modules');

for (const project of ['nodenext', 'bundler', 'nodenext-talk', 'bundler-talk']) {
  test(`tsc --strict, ${project}`, { timeout: 300_000 }, () => {
    const run = spawnSync(join(tools, '.bin/tsc'), ['--project', join(here, `types/${project}.json`)], { encoding: 'utf8' });
    assert.equal(run.stdout, '');
    assert.equal(run.status, 0, run.stderr);
  });
}

test('the example for React', { timeout: 300_000 }, () => {
  const example = join(here, 'examples/react');
  const at = (name) => [join(tools, '@types', name), join(tools, name)].find(existsSync);
  // Its packages are those of the tests; `npm install` in its folder gets the same.
  const paths = Object.fromEntries(['react', 'react-dom'].flatMap((name) => [[name, [at(name)]], [`${name}/*`, [`${at(name)}/*`]]]));
  const project = join(here, 'react.json');
  writeFileSync(project, JSON.stringify({ extends: join(example, 'tsconfig.json'), compilerOptions: { paths }, include: [join(example, 'src')] }));
  const run = spawnSync(join(tools, '.bin/tsc'), ['--project', project], { encoding: 'utf8' });
  assert.equal(run.stdout, '');
  assert.equal(run.status, 0, run.stderr);
});

test('a mistake is found: the check is no empty one', { timeout: 300_000 }, () => {
  const run = spawnSync(join(tools, '.bin/tsc'), ['--project', join(here, 'types/mistake.json')], { encoding: 'utf8' });
  assert.match(run.stdout, /mistake\.mts\(3,14\): error TS2322/);
  assert.notEqual(run.status, 0);
});

test('every name that is exported is declared, and none besides; none is any', () => {
  const files = ['errors', 'index', 'readings', 'sensor', 'stage'];
  const declarations = files.map((name) => readFileSync(join(here, `node_modules/sonometer/${name}.d.ts`), 'utf8')).join('\n');
  assert.doesNotMatch(declarations.replace(/\/\*\*[^]*?\*\//g, ''), /\bany\b/);
  const declared = [...declarations.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(declared.sort(), Object.keys(sonometer).sort());
});

test('editors strike out every name of the former entry', () => {
  const declarations = readFileSync(join(here, 'node_modules/sonometer/dives.d.ts'), 'utf8');
  const deprecated = [...declarations.matchAll(/\/\*\* @deprecated Import it from `sonometer`. \*\/\n  (\w+),/g)].map(([, name]) => name);
  assert.deepEqual(deprecated.sort(), Object.keys(sonometer).sort());
});
