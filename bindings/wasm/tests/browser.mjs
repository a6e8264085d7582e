// Chromium, driven without anything from outside, and the page of the tests in it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const executablePath = '/usr/bin/chromium';

/** Starts Chromium with a new and empty profile. `trouble` hears of whatever goes wrong, or asks for another machine. */
export async function browse(app, trouble = () => {}) {
  const { chromium } = createRequire(join(app, '../tools/package.json'))('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'sonometer-chromium-'));
  const args = [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync',
  ];
  // Longer than any test: what hangs is ended there, and a busy machine needs its time.
  const timeout = 600_000;
  const context = await chromium.launchPersistentContext(profile, { executablePath, args, timeout, viewport: { width: 1100, height: 860 } });
  context.setDefaultTimeout(timeout);
  await context.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => {
    trouble(`asked for ${route.request().url()}`);
    return route.abort();
  });
  context.on('weberror', (error) => trouble(String(error.error())));

  return {
    version: context.browser()?.version() ?? '',
    newPage: () => context.newPage(),
    /** The page of the tests, ready. */
    async open(address) {
      const page = await context.newPage();
      await page.goto(`${address}/tests/page/index.html`);
      await page.waitForFunction(() => document.title === 'ready');
      return page;
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** What the server of the tests shows. */
export function folders(app, cases) {
  return {
    '/package/': join(app, 'node_modules/sonometer'),
    '/tests/': app,
    '/demo/': join(app, 'examples/browser'),
    '/demo/sonometer/': join(app, 'node_modules/sonometer'),
    '/cases.jsonl': cases,
  };
}
