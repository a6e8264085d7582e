// Chromium as the tests and the bench drive it: nothing from outside, the same pixels each time.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const executablePath = '/usr/bin/chromium';
export const out = process.env.WORKBENCH_OUT;
export const need = createRequire(join(out, 'tools/package.json'));

/** Starts Chromium. `trouble` hears of errors in pages, and of asks for other machines. */
export async function browse(trouble, options = {}) {
  const { chromium } = need('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'sonometer-workbench-'));
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--font-render-hinting=none',
    '--disable-lcd-text',
    '--force-color-profile=srgb',
  ];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args,
    timeout: 120_000,
    viewport: { width: 1440, height: 1000 },
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
    colorScheme: 'light',
    acceptDownloads: true,
    ...options,
  });
  context.setDefaultTimeout(60_000);
  await context.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => {
    trouble(`asked for ${route.request().url()}`);
    return route.abort();
  });
  context.on('weberror', (error) => trouble(String(error.error().stack ?? error.error())));
  context.on('console', (message) => message.type() === 'error' && trouble(message.text()));
  return {
    context,
    async open(address) {
      const page = await context.newPage();
      await page.goto(address);
      await ready(page);
      return page;
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Waits until the page has its first reading. */
export async function ready(page) {
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'true');
}

/**
 * Waits until the text of an element is as it should be: what the worker finds comes when it comes, on a busy machine late. A text that
 * never becomes so is shown by the assertion.
 */
export async function says(page, selector, pattern) {
  const is = ([selector, source, flags]) => new RegExp(source, flags).test(document.querySelector(selector)?.textContent ?? '');
  await page.waitForFunction(is, [selector, pattern.source, pattern.flags]).catch(() => {});
  assert.match(await page.textContent(selector), pattern);
}
