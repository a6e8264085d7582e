// The package in a browser: a strict content security policy, the vectors, the demo page.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as sonometer from 'sonometer';
import { answers as answered } from './answer.mjs';
import { browse, executablePath, folders } from './browser.mjs';
import { allCases, diveCases, inSessions, isRight } from './cases.mjs';
import { dived } from './dived.mjs';
import { expected } from './misuse.mjs';
import { serve as start } from './serve.mjs';

const here = import.meta.dirname;
const skip = existsSync(executablePath) ? false : `no ${executablePath}`;
const shown = folders(here, join(here, 'cases-chromium.jsonl'));
const trouble = [];
let browser;

before(async () => {
  if (!skip) browser = await browse(here, (what) => trouble.push(what));
});

after(() => browser?.close());

/** A server that is closed with its test, however that ends. */
async function serve(t, options) {
  const server = await start(shown, options);
  t.after(() => server.close());
  return server;
}

test('loads under a strict policy and answers every vector', { skip, timeout: 300_000 }, async (t) => {
  const whole = allCases(process.env.SONOMETER_ROOT);
  const played = diveCases(process.env.SONOMETER_ROOT);
  const cases = [...whole, ...whole.flatMap(inSessions), ...played];
  writeFileSync(shown['/cases.jsonl'], cases.map(({ expect, ...given }) => `${JSON.stringify(given)}\n`).join(''));
  const server = await serve(t);
  const page = await browser.open(server.address);
  const early = await page.evaluate(() => {
    try {
      window.door.sonometer.fingerprint();
      return 'no error';
    } catch (error) {
      return error.message;
    }
  });
  assert.match(early, /await init\(\)/);
  assert.equal(await page.evaluate(() => window.door.load()), 'loaded');
  const answers = await page.evaluate(() => window.door.vectors());
  assert.equal(answers.length, cases.length);
  assert.deepEqual(cases.filter((one, at) => !isRight(one.expect, answers[at])).map(({ name }) => name), []);
  // Errors too are those of Node, to the letter.
  assert.deepEqual(answers, await answered(sonometer, cases));
  console.log(`vectors: ${whole.length} equal in Chromium ${browser.version}, ${cases.length - whole.length - played.length} times through sessions, and ${played.length} of dives and cards`);
  await page.close();
});

test('a page fetches one module, and dives as Node does', { skip, timeout: 300_000 }, async (t) => {
  const server = await serve(t);
  const page = await browser.open(server.address);
  const { told, modules } = await page.evaluate(() => window.door.dive());
  assert.deepEqual(modules, ['sonometer.wasm']);
  assert.deepEqual(told, await dived(sonometer));
  await page.close();
});

test('a page reads chats without the engine', { skip, timeout: 300_000 }, async (t) => {
  const server = await serve(t);
  const page = await browser.open(server.address);
  const { read, refused, modules } = await page.evaluate(() => window.door.chat());
  assert.deepEqual(modules, ['chats.wasm'], 'one module, fetched once');
  assert.equal(read.form, 'gemini');
  assert.deepEqual(read.interaction.segments, [{ role: 'user', content: 'Is it raining?' }, { role: 'assistant', content: 'No.' }]);
  assert.equal(refused, 'SonometerError form');
  await page.close();
  const strict = await serve(t, { wasm: false });
  const second = await browser.open(strict.address);
  assert.match((await second.evaluate(() => window.door.chat())).refused, /'wasm-unsafe-eval'/);
  await second.close();
});

test('the list of misuse, as in Node', { skip, timeout: 300_000 }, async (t) => {
  const server = await serve(t);
  const page = await browser.open(server.address);
  assert.equal(await page.evaluate(() => window.door.load()), 'loaded');
  assert.deepEqual(await page.evaluate(() => window.door.misuse()), expected);
  await page.close();
});

test('a policy without wasm-unsafe-eval, and a missing module, are told as such', { skip, timeout: 300_000 }, async (t) => {
  const strict = await serve(t, { wasm: false });
  const page = await browser.open(strict.address);
  assert.match(await page.evaluate(() => window.door.load()), /^SonometerError invalid_request: .*'wasm-unsafe-eval'/);
  await page.close();
  const server = await serve(t);
  const second = await browser.open(server.address);
  assert.match(await second.evaluate(() => window.door.load('/nowhere.wasm')), /^SonometerError invalid_request: \/nowhere\.wasm answers 404/);
  assert.equal(await second.evaluate(() => window.door.load()), 'loaded', 'a second try may succeed');
  await second.close();
});

test('a server that does not know the type of .wasm', { skip, timeout: 300_000 }, async (t) => {
  const server = await serve(t, { types: { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' } });
  const page = await browser.open(server.address);
  assert.equal(await page.evaluate(() => window.door.load()), 'loaded');
  await page.close();
});

test('the demo page', { skip, timeout: 300_000 }, async (t) => {
  const server = await serve(t);
  const page = await browser.newPage();
  page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
  await page.goto(`${server.address}/demo/index.html`);
  await page.waitForFunction(() => document.querySelectorAll('mark').length > 0);
  const score = await page.textContent('#score');
  await page.fill('#text', 'You never listen 😀, and this is your fault. Thank you for nothing.');
  await page.waitForFunction((old) => document.querySelector('#score').textContent !== old, score);
  assert.ok((await page.locator('mark').allTextContents()).length > 0);
  assert.equal((await page.locator('#shown').textContent()).trim(), 'You never listen 😀, and this is your fault. Thank you for nothing.');
  await page.selectOption('#sensor', 'personal-data');
  await page.fill('#text', 'My card is 4111 1111 1111 1111, mail me at imke@example.org.');
  await page.waitForFunction(() => document.querySelector('#evidence').textContent.includes('*'));
  assert.doesNotMatch(await page.locator('#evidence').textContent(), /4111 1111 1111/);
  await page.selectOption('#sensor', 'courtesy');
  await page.click('#example');
  await page.waitForFunction(() => document.querySelectorAll('mark').length > 3);
  await page.screenshot({ path: join(here, 'demo.png') });
  await page.close();
});

test('nothing went wrong on the way', { skip }, () => assert.deepEqual(trouble, []));
