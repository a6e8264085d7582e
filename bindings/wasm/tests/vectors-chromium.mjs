// Runs the cases of `cargo xtask doors` through this door in Chromium: node vectors-chromium.mjs CASES.jsonl OUT
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { browse, folders } from './browser.mjs';
import { app } from './package-path.mjs';
import { serve } from './serve.mjs';

const [cases, out] = process.argv.slice(2);
if (out === undefined) {
  console.error('usage: node vectors-chromium.mjs CASES.jsonl OUT');
  process.exit(2);
}
const server = await serve(folders(app, resolve(cases)));
const browser = await browse(app);
try {
  const page = await browser.open(server.address);
  const loaded = await page.evaluate(() => window.door.load());
  if (loaded !== 'loaded') throw new Error(loaded);
  const answers = await page.evaluate(() => window.door.vectors());
  writeFileSync(out, answers.map((answer) => `${answer}\n`).join(''));
} finally {
  await browser.close();
  await server.close();
}
