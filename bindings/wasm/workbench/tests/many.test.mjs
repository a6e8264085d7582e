// Many talks, versions and dives.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browse, executablePath, out, says } from './browser.mjs';
import { serve } from './serve.mjs';

const skip = existsSync(executablePath) ? false : `no ${executablePath}`;
const folder = mkdtempSync(join(tmpdir(), 'workbench-many-'));
const trouble = [];
let browser;
let server;

before(async () => {
  if (skip) return;
  browser = await browse((what) => trouble.push(what));
  server = await serve(join(out, 'site'));
});

after(async () => {
  await browser?.close();
  await server?.close();
});

function file(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Talks in which the agent apologizes where the label says so, but for each tenth. */
function talks(many) {
  return Array.from({ length: many }, (_, at) => {
    const good = at % 2 === 0;
    const content =
      good !== (at % 10 === 3) ? 'I apologize for the long delay of your order.' : 'You should have called us about your order, really.';
    const segments = [
      { role: 'customer', content: `Where is order ${at}? I have waited for it since Friday.` },
      { role: 'agent', content },
    ];
    return JSON.stringify({
      id: `t${at}`,
      interaction: { segments },
      labels: { satisfied: good, channel: { kind: at % 3 === 0 ? 'phone' : 'chat' } },
    });
  });
}

async function load(page, path, many) {
  await page.setInputFiles('#file', path);
  await page.waitForSelector('#panel-many .rows tbody tr');
  await page.waitForFunction((text) => document.querySelector('#panel-many [role=status]').textContent.includes(text), many);
}

test('a corpus is measured, filtered, judged, and its rows open as talks', { skip, timeout: 300_000 }, async () => {
  const page = await browser.open(server.address);
  await load(page, file('talks.jsonl', [...talks(300), 'not json', '{"nothing": 1}'].join('\n')), '300 talks');
  await says(page, '#panel-many [role=status]', /2 lines skipped[^]*line 301: not JSON[^]*line 302: no talk/);
  // By the figures of the file: 150 good, of which none is a tenth with 3 (those are odd); 30 of the others apologize too.
  const row = async (marker) => (await page.textContent(`#panel-many tr:has(th:has-text("${marker}"))`)).replace(/.*?(\d+ \()/, '$1');
  assert.match(await row('apology'), /^180 \(60\.0 %\)/);
  assert.match(await row('blame'), /^120 \(40\.0 %\)/);
  // The report counts the same talks.
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('text=Report of all talks')]);
  const report = readFileSync(await saved.path(), 'utf8');
  const figures = JSON.parse(/class="figures">(.*?)<\/script>/s.exec(report)[1]);
  assert.equal(figures.talks, 300);
  assert.equal(figures.markers.find(({ label }) => label === 'apology').triggered, 180);
  assert.match(report, /Worst talks/);
  await page.selectOption('.filters label:has-text("marker") select', { label: 'blame' });
  await page.waitForSelector('text=120 of 300 talks');
  await page.selectOption('.filters label:has-text("said by") select', { label: 'customer' });
  await page.waitForSelector('text=0 of 300 talks');
  await page.selectOption('.filters label:has-text("said by") select', { label: 'agent' });
  await page.waitForSelector('text=120 of 300 talks');
  await page.fill('.filters input[type=search]', 't11');
  await page.waitForSelector('text=5 of 300 talks');
  await page.click('.rows tbody tr:nth-child(2) button');
  await page.waitForFunction(() => window.workbench.state.text.includes('order 111?'));
  assert.equal(await page.locator('#talk .found').count(), 1);

  // The threshold that is best by F1 makes the 30 mistakes that are in the data, and no others.
  const told = await page.locator('#panel-many [role=status]').nth(1).textContent();
  assert.match(told, /precision 0\.833, recall 1\.000, F1 0\.909/);
  await page.fill('[aria-label="Threshold on the score"]', '1');
  await page.waitForSelector('text=/Positive from 1: precision n\\/a, recall 0\\.000/');
  await page.click('text=Evaluate');
  await page.waitForSelector('text=The report as a page');
  await says(page, '#panel-many', /cases300[^]*auc0\.9/);
  await page.close();
});

test('two versions are compared on every talk, with the evidence that moved', { skip, timeout: 300_000 }, async () => {
  const page = await browser.open(server.address);
  await load(page, file('more.jsonl', talks(200).join('\n')), '200 talks');
  await page.click('#keep');
  await page.waitForSelector('#panel-versions >> text=The same evidence.');
  await page.click('#protocol .cm-content');
  await page.keyboard.press('Control+Home');
  for (let at = 0; at < 17; at += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.type('regret~');
  await page.waitForSelector('#panel-versions >> text=− lost');
  await page.click('#compare-many');
  await page.waitForSelector('text=/120 of 200 talks moved, mean change of the score −0\\.2/');
  await says(page, '#panel-versions', /apology 120 → 0[^]*− lost apology apologize 1/);
  await page.click('text=Back to the baseline');
  await page.waitForSelector('#panel-versions >> text=The same evidence.');
  await page.close();
});

test('tables become talks, and other JSON too', { skip, timeout: 300_000 }, async () => {
  const page = await browser.open(server.address);
  const table =
    'conversation,role,text,rating\na,customer,"Where is it? I waited, long, for it.",4\na,agent,"I apologize, it will arrive tomorrow.",4\nb,customer,Hello there and good morning to you all.,1\nb,agent,"That is your fault, you should have called.",1\n';
  await load(page, file('talks.csv', table), '2 talks');
  assert.deepEqual(await page.locator('.rows tbody th').allTextContents(), ['a', 'b']);
  assert.deepEqual(await page.locator('.rows tbody td.n').allTextContents(), ['1', '0']);
  const forms = [
    '"I apologize for the delay of your order, which is my fault."',
    '{"content": "I apologize for the delay of your order, dear friend."}',
    '[{"role": "agent", "content": "I apologize for the delay of your order."}]',
    '{"messages": [{"role": "assistant", "content": "I apologize for the delay of your order, dear friend."}]}',
  ];
  await load(page, file('forms.jsonl', forms.join('\n')), '4 talks');
  await page.setInputFiles('#file', file('empty.csv', 'a,b\n1,2\n'));
  await page.waitForSelector('text=/empty\\.csv holds no talks: no column is called text/');
  // A talk, a list and a card are told apart.
  await page.setInputFiles('#file', file('talk.json', '{"segments": [{"role": "agent", "content": "Sorry for that.", "timestamp": 3}]}'));
  await page.waitForFunction(() => window.workbench.state.text === 'agent (3s): Sorry for that.');
  await page.close();
});

test('Parquet: turns and talks, its reader fetched with the first file', { skip, timeout: 300_000 }, async () => {
  const page = await browser.open(server.address);
  const fetched = () => page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('parquet.js')).length);
  assert.equal(await fetched(), 0);
  const parquet = (name) => join(import.meta.dirname, 'parquet', name);
  await load(page, parquet('turns-snappy.parquet'), '40 talks');
  assert.equal(await fetched(), 1);
  const row = async (marker) => (await page.textContent(`#panel-many tr:has(th:has-text("${marker}"))`)).replace(/.*?(\d+ \()/, '$1');
  assert.match(await row('apology'), /^20 \(50\.0 %\)/);
  await says(page, '#panel-many [role=status]:nth-of-type(1)', /40 talks/);
  // Its columns are labels, and its quotes are in the talk.
  await page.click('.rows tbody tr:nth-child(1) button');
  await page.waitForFunction(() => window.workbench.state.text.includes('Where is order 0? I have waited since Friday, "really".'));
  assert.match(await page.textContent('#panel-many'), /satisfied/);
  await load(page, parquet('talks-zstd.parquet'), 'talks-zstd');
  assert.match(await row('blame'), /^20 \(50\.0 %\)/);
  await page.setInputFiles('#file', parquet('turns-gzip.parquet'));
  await says(page, '#notice', /turns-gzip\.parquet cannot be read: it is packed by GZIP; write it with Snappy or Zstandard/);
  await page.setInputFiles('#file', file('none.parquet', 'PAR1 is not enough'));
  await says(page, '#notice', /none\.parquet cannot be read: /);
  await page.close();
});

test('50,000 talks', { skip: skip || (process.env.WORKBENCH_LARGE === '1' ? false : 'set WORKBENCH_LARGE=1'), timeout: 600_000 }, async () => {
  const page = await browser.open(server.address);
  const begin = Date.now();
  await load(page, file('large.jsonl', talks(50_000).join('\n')), '50,000 talks');
  console.log(`50,000 talks: ${((Date.now() - begin) / 1000).toFixed(1)} s; ${await page.textContent('#panel-many [role=status]')}`);
  const drawn = await page.evaluate(async () => {
    const begin = performance.now();
    const input = document.querySelector('.filters input[type=search]');
    input.value = 't4999';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    return performance.now() - begin;
  });
  console.log(`a filter over them: ${drawn.toFixed(0)} ms`);
  assert.ok(drawn < 1000, `${drawn} ms`);
  await page.close();
});

test('a stage is played, its card checked, and a card that was changed refused', { skip, timeout: 300_000 }, async () => {
  const page = await browser.open(server.address);
  await page.click('#tab-dives');
  await page.waitForFunction(() => document.querySelector('#stage').options.length > 2);
  await page.selectOption('#stage', 'billing-dispute@1.0');
  await page.click('#dive-begin');
  await page.waitForSelector('.world >> text=/euros/');
  await says(page, '#dive', /scene arrival[^]*patience 3[^]*promised 0/);
  await page.fill('#action', 'I am so sorry, that must be exhausting. I understand that you are tired of this.');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=/1 of at most 10 turns/');
  await says(page, '#dive-log', /you I am so sorry[^]*score 0\.\d+/);
  await page.click('#dive-close');
  await page.waitForSelector('#card-told >> text=the log gives every byte of this card again');
  await says(page, '#card-told', /not passed: closed early/);
  const card = await page.inputValue('#card-text');
  await page.fill('#card-text', card.replace('"turns":1', '"turns":2'));
  await page.click('#card-check');
  await page.waitForSelector('#card-told >> text=/does not hold: .*totals/');
  // A signature of somebody else.
  await page.fill('#card-text', card);
  await page.fill('#keys-text', 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
  await page.click('#card-check');
  await page.waitForSelector('#card-told >> text=/✗signature/');
  await page.close();
});

test('nothing went wrong on the way', { skip }, () => assert.deepEqual(trouble, []));
