// The single file, opened from the disk: no server, no network.
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { browse, executablePath, out } from './browser.mjs';

const skip = existsSync(executablePath) ? false : `no ${executablePath}`;

test('the single file works from a disk', { skip, timeout: 120_000 }, async () => {
  const trouble = [];
  const browser = await browse((what) => trouble.push(what));
  const path = join(out, 'workbench.html');
  assert.ok(statSync(path).size < 2_300_000);
  const page = await browser.open(pathToFileURL(path).href);
  assert.equal(await page.textContent('.big .value'), '0.25');
  await page.click('#tab-course');
  await page.waitForSelector('#panel-course svg');
  await page.click('#open');
  await page.click('#dialog .shelf button:has-text("courtesy@")');
  await page.waitForFunction(() => window.workbench.state.facts.id === 'courtesy');
  await page.setInputFiles('#file', join(import.meta.dirname, 'parquet/turns-snappy.parquet'));
  await page.waitForSelector('#panel-many .rows tbody tr');
  await page.click('#share');
  const link = await page.inputValue('#dialog textarea');
  const other = await browser.open(link);
  assert.equal(await other.evaluate(() => window.workbench.state.facts.id), 'courtesy');
  assert.deepEqual(trouble, []);
  await browser.close();
});
