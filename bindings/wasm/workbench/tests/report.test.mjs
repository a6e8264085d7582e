// Reports of the command in a browser: without findings of axe in both themes and at phone width, nothing asked for, and as a PDF
// with everything in it that is folded on the screen. The pictures and PDFs lie in `pictures` of the folder of the build.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import { browse, executablePath, need, out } from './browser.mjs';

const command = process.env.SONOMETER ?? '';
const skip = !existsSync(executablePath) ? `no ${executablePath}` : existsSync(command) ? false : 'no command';
const pictures = join(out, 'pictures');
const folder = mkdtempSync(join(tmpdir(), 'reports-'));
const trouble = [];
let browser;

const KIND = 'Good morning, thank you so much for waiting. Could you please tell me the number of the order?';
const CURT = 'I told you twice already. Why did you not read the message that I sent you yesterday?';
const DAY = 86_400;

function talk(at) {
  const said = (turn) => ((at + turn) % 4 === 0 ? CURT : KIND);
  const turn = (nth) => ({ role: nth % 2 === 0 ? 'customer' : 'agent', content: said(nth), timestamp: 1_790_000_000 + at * DAY + nth * 30 });
  return { id: `call ${at}`, labels: { team: ['north', 'south', 'west'][at % 3] }, interaction: { segments: Array.from({ length: 12 }, (_, nth) => turn(nth)) } };
}

function report(name, lines, ...more) {
  writeFileSync(join(folder, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  execFileSync(command, ['report', 'courtesy@2.0', `${name}.jsonl`, '--out', `${name}.html`, ...more], { cwd: folder, stdio: 'pipe' });
  return join(folder, `${name}.html`);
}

before(async () => {
  if (skip) return;
  mkdirSync(pictures, { recursive: true });
  browser = await browse((what) => trouble.push(what));
});

after(() => browser?.close());

async function axe(page) {
  const { AxeBuilder } = need('@axe-core/playwright');
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join(' | ')}`);
}

const short = { content: 'Hm.' };
for (const [name, lines, more, inside] of [
  ['report-many', [...Array.from({ length: 40 }, (_, at) => talk(at)), { id: 'short', interaction: short }], ['--by', 'team'], 'Known weaknesses'],
  ['report-one', [talk(0)], [], 'fidelity density'],
]) {
  test(`${name} is read by everybody and printed whole`, { skip, timeout: 300_000 }, async () => {
    const path = report(name, lines, ...more);
    const page = await browser.context.newPage();
    const faults = [];
    for (const [view, colorScheme, width] of [
      ['light', 'light', 1200],
      ['dark', 'dark', 1200],
      ['phone', 'light', 390],
    ]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(pathToFileURL(path).href);
      await page.evaluate(() => document.querySelectorAll('details').forEach((own) => (own.open = true)));
      await page.screenshot({ path: join(pictures, `${name}-${view}.png`), fullPage: true });
      faults.push(...(await axe(page)).map((fault) => `${view}: ${fault}`));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) faults.push(`${view}: ${wide} pixels wider than the window`);
    }
    assert.deepEqual(faults, []);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(pathToFileURL(path).href);
    const pdf = join(pictures, `${name}.pdf`);
    await page.pdf({ path: pdf, format: 'A4', preferCSSPageSize: true });
    assert.equal(readFileSync(pdf).subarray(0, 5).toString(), '%PDF-');
    if (existsSync('/usr/bin/pdftotext')) {
      // As it is laid out, there may be any number of spaces between words.
      const text = execFileSync('pdftotext', ['-layout', pdf, '-']).toString().replace(/\s+/g, ' ');
      assert.ok(text.includes(inside), `${inside} is folded away on paper`);
    }
    await page.close();
  });
}

test('nothing was asked for and nothing went wrong', { skip }, () => assert.deepEqual(trouble, []));
