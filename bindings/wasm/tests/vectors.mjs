// Runs the cases of `cargo xtask doors` through this door: node vectors.mjs CASES.jsonl OUT
import { readFileSync, writeFileSync } from 'node:fs';
import { answers } from './answer.mjs';
import { sonometer } from './package-path.mjs';

const [cases, out] = process.argv.slice(2);
if (out === undefined) {
  console.error('usage: node vectors.mjs CASES.jsonl OUT');
  process.exit(2);
}
// Not line by line with `node:readline`, which also breaks lines at U+2028.
const lines = readFileSync(cases, 'utf8').split('\n').filter((line) => line.trim() !== '');
const said = await answers(sonometer, lines.map((line) => JSON.parse(line)));
writeFileSync(out, said.map((line) => `${line}\n`).join(''));
