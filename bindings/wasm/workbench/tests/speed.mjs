// How quick the page is, counted in the browser: `bindings/wasm/workbench/bench` prints it.
import { join } from 'node:path';
import { browse, out } from './browser.mjs';
import { serve } from './serve.mjs';

const KEYS = Number(process.env.WORKBENCH_KEYS ?? 150);

/** Two kilobytes of talk for the protocol of the example. */
function talk() {
  const turns = [
    'customer: Where is my parcel? It should have arrived on Friday, and nobody called me about it.',
    'agent: I am sorry for the trouble. The driver fell ill, and it will arrive tomorrow.',
  ];
  let text = '';
  for (let at = 0; text.length < 2048; at += 1) text += `${turns[at % 2]}\n`;
  return text.slice(0, 2048);
}

function quantile(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

const told = (times) => `p50 ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms (${times.length} keys)`;

/** Types as a quick typist does: a key every so many milliseconds. */
async function keys(page, editor, text, what) {
  await page.click(`${editor} .cm-content`);
  await page.keyboard.press('Control+End');
  await page.evaluate((key) => (window.workbench.keys[key].length = 0), what);
  for (let at = 0; at < KEYS; at += 1) {
    await page.keyboard.type(text[at % text.length]);
    await page.waitForTimeout(60);
  }
  await page.waitForTimeout(300);
  return page.evaluate((key) => window.workbench.keys[key], what);
}

/** All figures; the first use is the median of three, each with an empty cache. */
export async function measure() {
  const server = await serve(join(out, 'site'));
  const first = [];
  let bytes = 0;
  for (let at = 0; at < 3; at += 1) {
    const browser = await browse(() => {});
    const before = server.sent();
    const page = await browser.open(server.address);
    first.push(await page.evaluate(() => performance.getEntriesByName('first reading')[0].startTime));
    bytes = server.sent() - before;
    await browser.close();
  }
  const browser = await browse(() => {});
  const page = await browser.open(server.address);
  await page.click('#talk .cm-content');
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(talk());
  const inTalk = await keys(page, '#talk', ' I am sorry for it', 'talk');
  const small = await keys(page, '#protocol', '# a comment that grows ', 'protocol');
  await page.click('#open');
  await page.click('#dialog .shelf button:has-text("courtesy@")');
  await page.waitForFunction(() => window.workbench.state.facts.id === 'courtesy');
  const large = await keys(page, '#protocol', '# a comment that grows ', 'protocol');
  await browser.close();
  await server.close();
  return { bytes, first: quantile(first, 0.5), inTalk, small, large };
}

if (process.argv[1] === import.meta.filename) {
  const { bytes, first, inTalk, small, large } = await measure();
  console.log(`first use: ${bytes.toLocaleString('en')} bytes (aim 1,200,000), ${first.toFixed(0)} ms to the first reading (aim 1,500)`);
  console.log(`a key in a talk of 2 KB: ${told(inTalk)} (aim 16)`);
  console.log(`a key in the protocol of the example: ${told(small)} (aim 50)`);
  console.log(`a key in the protocol courtesy: ${told(large)}`);
}
