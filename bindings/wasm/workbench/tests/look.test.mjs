// How every view looks: without findings of axe in both themes and at phone width, and about as when somebody last looked at it. The
// pictures lie in `pictures` of the folder of the build, to be looked at.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browse, executablePath, need, out } from './browser.mjs';
import { serve } from './serve.mjs';

const skip = existsSync(executablePath) ? false : `no ${executablePath}`;
const pictures = join(out, 'pictures');
const known = join(import.meta.dirname, 'looks.json');
const looks = existsSync(known) ? JSON.parse(readFileSync(known, 'utf8')) : {};
const seen = {};
const trouble = [];
let browser;
let server;

/** The squares of a picture that are compared, and how much they may differ, of 255: letters of another system do. */
const [COLUMNS, ROWS] = [24, 18];
const MOST_MEAN = 14;
const MOST_FAR = 0.12;
const FAR = 60;

before(async () => {
  if (skip) return;
  mkdirSync(pictures, { recursive: true });
  browser = await browse((what) => trouble.push(what));
  server = await serve(join(out, 'site'));
});

after(async () => {
  await browser?.close();
  await server?.close();
  if (process.env.WORKBENCH_LOOKS === 'write') writeFileSync(known, `${JSON.stringify(seen)}\n`);
});

/** How light each square of a picture is. */
async function squares(page, bytes) {
  return page.evaluate(
    async ([text, columns, rows]) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob().catch(() => new Blob()));
      const canvas = new OffscreenCanvas(columns, rows);
      const context = canvas.getContext('2d');
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, columns, rows);
      const { data } = context.getImageData(0, 0, columns, rows);
      return Array.from({ length: columns * rows }, (_, at) => Math.round((data[4 * at] + data[4 * at + 1] + data[4 * at + 2]) / 3));
    },
    [bytes.toString('base64'), COLUMNS, ROWS],
  );
}

async function look(page, name) {
  // Messages of what was done go, and bars have grown.
  await page.waitForTimeout(400);
  const bytes = await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled', caret: 'hide' });
  const helper = await browser.context.newPage();
  const now = await squares(helper, bytes);
  await helper.close();
  seen[name] = now;
  const then = looks[name];
  if (then === undefined) return;
  const differences = now.map((light, at) => Math.abs(light - then[at]));
  const mean = differences.reduce((sum, own) => sum + own, 0) / differences.length;
  const far = differences.filter((own) => own > FAR).length / differences.length;
  assert.ok(
    mean <= MOST_MEAN && far <= MOST_FAR,
    `${name} looks different (mean ${mean.toFixed(1)}, far ${(far * 100).toFixed(0)} %); look at ${pictures}, then run with WORKBENCH_LOOKS=write`,
  );
}

async function axe(page, name) {
  const { AxeBuilder } = need('@axe-core/playwright');
  const { violations } = await new AxeBuilder({ page }).analyze();
  const told = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map((node) => `${node.target} ${node.failureSummary}`)
        .join(' | ')}`,
  );
  assert.deepEqual(told, [], name);
}

/** Nothing stands out at the side. */
async function fits(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels wider than the window`);
}

/** Every view in turn. */
async function views(page, prefix, check) {
  const below = () => page.evaluate(() => document.querySelector('#below').scrollIntoView());
  const top = () => page.evaluate(() => scrollTo(0, 0));
  await page.waitForFunction(() => document.querySelector('#tab-tests').textContent.includes('✓'));
  await top();
  await check(page, `${prefix}-first`);
  await page.click('#panel-tests >> text=Measure coverage');
  await page.waitForSelector('text=/Coverage \\d+/');
  await below();
  await check(page, `${prefix}-tests`);
  await page.click('#tab-course');
  await page.waitForSelector('#panel-course svg');
  await below();
  await check(page, `${prefix}-course`);
  await page.click('#tab-stream');
  await page.waitForSelector('#streamed .turn');
  await page.fill('#step', '20');
  await below();
  await check(page, `${prefix}-stream`);
  await page.setInputFiles('#file', { name: 'talks.jsonl', mimeType: 'application/json', buffer: Buffer.from(talks()) });
  await page.waitForSelector('#panel-many .rows tbody tr');
  await below();
  await check(page, `${prefix}-many`);
  await page.click('#keep');
  await page.waitForSelector('#panel-versions >> text=The same evidence.');
  await below();
  await check(page, `${prefix}-versions`);
  await page.click('#tab-dives');
  await page.waitForFunction(() => document.querySelector('#stage').options.length > 2);
  await page.click('#dive-begin');
  await page.waitForSelector('#action');
  await below();
  await check(page, `${prefix}-dives`);
  await page.click('#open');
  await page.waitForSelector('#dialog .shelf li:nth-child(4)');
  await check(page, `${prefix}-open`);
  await page.click('#dialog-close');
  await page.click('[aria-label="score 0.25: why?"]');
  await check(page, `${prefix}-why`);
  await page.click('#dialog-close');
  await page.click('#help');
  await check(page, `${prefix}-help`);
  await page.click('#dialog-close');
  // A mistake.
  await page.click('#protocol .cm-content');
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('x');
  await page.waitForSelector('#findings li');
  await top();
  await check(page, `${prefix}-mistake`);
}

function talks() {
  const said = [
    'I apologize for the delay of your order.',
    'It will arrive tomorrow, I am sorry for the delay.',
    'You should have called us on Friday.',
  ];
  return Array.from({ length: 90 }, (_, at) =>
    JSON.stringify({
      id: `talk ${at}`,
      interaction: {
        segments: [
          { role: 'customer', content: 'Where is my order? I have waited for days.' },
          { role: 'agent', content: said[at % 3] },
        ],
      },
      labels: { satisfied: at % 3 < 2 },
    }),
  ).join('\n');
}

for (const [name, width, height, scheme] of [
  ['light', 1440, 1000, 'light'],
  ['dark', 1440, 1000, 'dark'],
  ['phone', 390, 844, 'light'],
]) {
  test(`${name}: every view`, { skip, timeout: 600_000 }, async () => {
    const page = await browser.context.newPage();
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    await page.goto(server.address);
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'true');
    // All of them are compared before the first fault fails the test.
    const faults = [];
    await views(page, name, async (shown, view) => {
      for (const check of [look, axe, fits]) await check(shown, view).catch((error) => faults.push(`${view}: ${error.message}`));
    });
    await page.close();
    assert.deepEqual(faults, []);
  });
}

test('every part is reached by the keyboard alone', { skip }, async () => {
  const page = await browser.open(server.address);
  const reached = new Set();
  for (let at = 0; at < 60; at += 1) {
    await page.keyboard.press('Tab');
    reached.add(
      await page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.className),
    );
  }
  for (const id of ['open', 'share', 'theme', 'fmt', 'Protocol', 'Talk', 'as-text', 'add-hit', 'tab-tests'])
    assert.ok(reached.has(id), `${id} of ${[...reached].join(', ')}`);
  await page.close();
});

test('nothing went wrong on the way', { skip }, () => assert.deepEqual(trouble, []));
