// Every vector of the repository, by the runner that `cargo xtask doors` calls.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allCases, isRight } from './cases.mjs';

const here = import.meta.dirname;

test('vectors', { timeout: 300_000 }, () => {
  const cases = allCases(process.env.SONOMETER_ROOT);
  assert.ok(cases.length > 800, `${cases.length} vectors`);
  const file = join(here, 'cases.jsonl');
  const out = join(here, 'answers.jsonl');
  writeFileSync(file, cases.map(({ expect, ...given }) => `${JSON.stringify(given)}\n`).join(''));
  const run = spawnSync(process.execPath, [join(process.env.SONOMETER_ROOT, 'bindings/wasm/tests/vectors.mjs'), file, out], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const answers = readFileSync(out, 'utf8').split('\n').slice(0, -1);
  assert.equal(answers.length, cases.length);
  const wrong = cases.filter((one, at) => !isRight(one.expect, answers[at]));
  assert.deepEqual(wrong.map(({ name }) => name), []);
  console.log(`vectors: ${cases.length} equal in Node ${process.version}`);
});
