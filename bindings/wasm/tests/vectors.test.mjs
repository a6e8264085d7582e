// Every vector of the repository, by the runner that `cargo xtask doors` calls.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allCases, inSessions, isRight } from './cases.mjs';

const here = import.meta.dirname;

test('vectors', { timeout: 300_000 }, () => {
  const whole = allCases(process.env.SONOMETER_ROOT);
  assert.ok(whole.length > 800, `${whole.length} vectors`);
  const cases = [...whole, ...whole.flatMap(inSessions)];
  const file = join(here, 'cases.jsonl');
  const out = join(here, 'answers.jsonl');
  writeFileSync(file, cases.map(({ expect, ...given }) => `${JSON.stringify(given)}\n`).join(''));
  const run = spawnSync(process.execPath, [join(here, 'vectors.mjs'), file, out], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const answers = readFileSync(out, 'utf8').split('\n').slice(0, -1);
  assert.equal(answers.length, cases.length);
  const wrong = cases.filter((one, at) => !isRight(one.expect, answers[at]));
  assert.deepEqual(wrong.map(({ name }) => name), []);
  console.log(`vectors: ${whole.length} equal in Node ${process.version}, and ${cases.length - whole.length} times through sessions`);
});
