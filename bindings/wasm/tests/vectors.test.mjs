// Every vector of the repository, by the runner that `cargo xtask doors` calls.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allCases, diveCases, inSessions, isRight } from './cases.mjs';

const here = import.meta.dirname;

test('vectors', { timeout: 300_000 }, () => {
  const whole = allCases(process.env.SONOMETER_ROOT);
  assert.ok(whole.length > 800, `${whole.length} vectors`);
  const played = diveCases(process.env.SONOMETER_ROOT);
  assert.ok(played.length > 200, `${played.length} vectors of dives and cards`);
  const cases = [...whole, ...whole.flatMap(inSessions), ...played];
  const file = join(here, 'cases.jsonl');
  const out = join(here, 'answers.jsonl');
  writeFileSync(file, cases.map(({ expect, ...given }) => `${JSON.stringify(given)}\n`).join(''));
  const run = spawnSync(process.execPath, [join(here, 'vectors.mjs'), file, out], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const answers = readFileSync(out, 'utf8').split('\n').slice(0, -1);
  assert.equal(answers.length, cases.length);
  const wrong = cases.filter((one, at) => !isRight(one.expect, answers[at]));
  assert.deepEqual(wrong.map(({ name }) => name), []);
  console.log(`vectors: ${whole.length} equal in Node ${process.version}, ${cases.length - whole.length - played.length} times through sessions, and ${played.length} of dives and cards`);
});
