// The page as somebody uses it: typing, mending, completing, testing, sharing.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browse, executablePath, out, ready, says } from './browser.mjs';
import { serve } from './serve.mjs';

const skip = existsSync(executablePath) ? false : `no ${executablePath}`;
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

const state = (page, what) => page.evaluate((key) => window.workbench.state[key], what);
const source = async (page) => (await state(page, 'protocol')).source;
const until = (page, work, argument) => page.waitForFunction(work, argument);

/** Puts the cursor at the end of a line of the protocol, from 1. */
async function line(page, number) {
  await page.click('#protocol .cm-content');
  await page.keyboard.press('Control+Home');
  for (let at = 1; at < number; at += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
}

/** Writes a whole protocol or talk in the place of what is there. */
async function write(page, editor, text) {
  await page.click(`${editor} .cm-content`);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

test('the first reading, and what it took to get there', { skip }, async () => {
  const page = await browser.open(server.address);
  assert.equal((await page.locator('.found').allTextContents()).join('|'), 'apologize|you should have|sorry for|arrive tomorrow');
  assert.equal(await page.locator('.found.worsens').count(), 1, 'bad news differs without colour, too');
  assert.equal(await page.textContent('.big .value'), '0.25');
  assert.ok(server.sent() <= 1_200_000, `${server.sent()} bytes`);
  await until(page, () => document.querySelector('#tab-tests').textContent === 'Tests ✓ 12');
  await page.close();
});

test('what is typed in the talk is found at once, and the reading is that of the command', { skip }, async () => {
  const page = await browser.open(server.address);
  await write(page, '#talk', 'agent: We apologize 😀, it is your fault.\ncustomer: sorry for asking.\nagent: It will arrive today.');
  await until(page, () => document.querySelectorAll('.found').length === 3);
  assert.deepEqual(await page.locator('.found').allTextContents(), ['apologize', 'your fault', 'arrive today']);
  const { evidence, score } = await state(page, 'reading');
  assert.equal(evidence.length, 3);
  assert.equal(String(score), await page.textContent('.big .value'));
  // What the wrong side said is nearly found, with the reason.
  await write(page, '#talk', 'customer: I am sorry for asking again, and again.\nagent: It will arrive soon.');
  await until(page, () => document.querySelectorAll('#talk .nearly').length > 0);
  await says(page, '#reading', /Nearly found[^]*apology“sorry for”[^]{10}/);
  await page.click('#as-text');
  await until(page, () => window.workbench.state.reading.evidence.length === 0);
  await page.close();
});

test('a mistake is shown, mended by one key, and does not take the last good sensor away', { skip }, async () => {
  const page = await browser.open(server.address);
  await line(page, 16);
  await page.keyboard.press('Home');
  await page.keyboard.press('Delete');
  await page.waitForSelector('.cm-lintRange-error');
  await says(page, '#findings', /no key `trong`; did you mean `strong`/);
  await says(page, '#state', /last version without errors/);
  await says(page, '#panel-tests', /12 passed, 0 failed by the last version without errors/);
  assert.equal(await page.locator('.found').count(), 4);
  await page.keyboard.press('Alt+Enter');
  await until(page, () => document.querySelector('#findings').textContent === '');
  await says(page, '#panel-tests', /^12 passed, 0 failed(?! by)/);
  assert.match(await source(page), /\n {4}strong: \|\n {6}sorry/);
  // A role that nobody declares, and a class that does not exist.
  for (const [number, wrong, right] of [
    [14, 'agnet', 'by: agent'],
    [29, '<dat>', '<date>'],
  ]) {
    await line(page, number);
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type(number === 14 ? `by: ${wrong}` : `deliver~ ${wrong}`);
    await page.keyboard.press('Escape');
    // The finding about the whole word: those about its beginnings come and go while it is typed.
    await says(page, '#findings', new RegExp(wrong.replace(/[<>]/g, '') + '`'));
    await page.keyboard.press('Alt+Enter');
    await until(page, () => document.querySelector('#findings').textContent === '');
    assert.ok((await source(page)).includes(right), right);
  }
  await page.close();
});

test('keys and classes are completed, keys and codes explained', { skip }, async () => {
  const page = await browser.open(server.address);
  await line(page, 15);
  await page.keyboard.press('Enter');
  await page.keyboard.type('impor');
  await page.waitForSelector('.cm-tooltip-autocomplete');
  await page.keyboard.press('Tab');
  await page.keyboard.type('hi');
  await page.waitForSelector('.cm-tooltip-autocomplete >> text=high');
  await page.keyboard.press('Tab');
  await until(page, () => window.workbench.state.protocol.source.includes('    importance: high\n    strong'));
  await page.hover('#protocol .cm-line:has-text("negation: drop") >> text=negation');
  await page.waitForSelector('.tip');
  assert.match(await page.textContent('.tip'), /negat/i);
  await line(page, 5);
  await page.keyboard.press('Shift+Home');
  await page.keyboard.type('version: 1.0 (final)');
  await page.waitForSelector('.cm-lintRange-error');
  await page.hover('.cm-lintRange-error');
  await page.waitForSelector('.cm-tooltip-lint details');
  await page.click('.cm-tooltip-lint summary');
  await says(page, '.cm-tooltip-lint', /SM0310[^]*Corrected/);
  await page.close();
});

test('numbers say why, the form is put right, the theme is chosen', { skip }, async () => {
  const page = await browser.open(server.address);
  await page.click('[aria-label="blame 0.75: why?"]');
  await says(page, '#dialog', /Why blame 0\.75\?[^]*\+0\.6 {2}clear {3}you should have[^]*activation 0\.75/);
  await page.keyboard.press('Escape');
  await page.click('[aria-label="fidelity 1: why?"]');
  await says(page, '#dialog', /density/);
  await page.click('#dialog-close');
  await line(page, 8);
  await page.keyboard.press('Shift+Home');
  await page.keyboard.type('actants:   {primary:   agent, secondary: customer}');
  await page.keyboard.press('Alt+f');
  await until(page, () => window.workbench.state.protocol.source.includes('\nactants: {primary: agent, secondary: customer}\n'));
  await page.keyboard.press('Control+z');
  await until(page, () => window.workbench.state.protocol.source.includes('actants:   {primary'));
  await page.click('#theme');
  await page.click('#theme');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.close();
});

test('a selection becomes a test, red or green, and coverage says what no test needs', { skip }, async () => {
  const page = await browser.open(server.address);
  await write(page, '#talk', 'agent: I am sorry about the noise.\nagent: Please excuse the noise.');
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Alt+h');
  await until(page, () => window.workbench.state.protocol.source.includes('      agent: I am sorry about the noise.\n    miss'));
  await until(page, () => document.querySelector('#tab-tests').textContent === 'Tests ✓ 13');
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Alt+h');
  await until(page, () => document.querySelector('#tab-tests').textContent === 'Tests ✗ 1');
  assert.match(await page.textContent('.tests .fails'), /✗[^]*Please excuse the noise\.[^]*no pattern line matches/);
  await says(page, '#tests-state', /1 test of 14 failed/);
  await page.keyboard.press('Alt+d');
  await until(page, () => window.workbench.state.tests?.tests.filter(({ kind }) => kind === 'dialogue').length === 2);
  await page.click('text=Measure coverage');
  await page.waitForSelector('text=/Coverage \\d+ %/');
  await says(page, '#panel-tests', /entry[^]*when[^]*today/);
  await page.close();
});

test('course, masks and stream', { skip }, async () => {
  const page = await browser.open(server.address);
  await page.click('#tab-course');
  await page.waitForSelector('#panel-course svg');
  assert.match(await page.getAttribute('#panel-course svg', 'aria-label'), /4 turns, in the end 0\.25/);
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('#streamed .turn');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-stream');
  // What passes at the end is the whole talk.
  const shown = (await page.locator('#streamed .turn').allTextContents()).join('\n');
  assert.equal(shown, (await page.locator('#masked .turn').allTextContents()).join('\n'));
  assert.match(shown, /happened to it\?/);
  await page.click('#open');
  await page.click('.shelf >> text=/personal-data@/');
  await until(page, () => window.workbench.state.facts.id === 'personal-data');
  await page.waitForSelector('#masked >> text=/\\*\\*\\*/');
  assert.doesNotMatch(await page.textContent('#masked'), /4111 1111 1111|imke@/);
  await page.selectOption('#mask', 'label');
  await page.waitForSelector('#masked >> text=/<[A-Z_]+>/');
  await page.fill('#step', '7');
  await says(page, '#stream-told', /Word 8 of \d+: \d+ characters held back/);
  await page.close();
});

test('a link holds protocol and talk', { skip }, async () => {
  const page = await browser.open(server.address);
  await write(page, '#talk', 'agent: Sorry for the wait, “Zoë” 😀.');
  await page.click('#share');
  const link = await page.inputValue('#dialog textarea');
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/#w1=[\w-]+$/);
  const other = await browser.open(link);
  assert.equal(await other.evaluate(() => window.workbench.state.text), 'agent: Sorry for the wait, “Zoë” 😀.');
  assert.equal(await source(other), await source(page));
  await other.close();
  const broken = await browser.context.newPage();
  await broken.goto(`${server.address}#w1=AAAA`);
  await ready(broken);
  await says(broken, '#notice', /link cannot be read/);
  await broken.close();
  await page.close();
});

test('everything that ships opens without errors', { skip, timeout: 300_000 }, async () => {
  const page = await browser.open(server.address);
  await page.click('#open');
  await page.waitForSelector('.shelf details, .shelf li:nth-child(3)');
  const many = await page.locator('#dialog .shelf button').count();
  assert.ok(many > 25, `${many}`);
  // Without a version: the newest stands first, older ones are folded away.
  for (const name of ['names-and-places@', 'refusal@', 'service-call', 'escalation@']) {
    if ((await page.locator('#dialog[open]').count()) === 0) await page.click('#open');
    await page.locator(`#dialog .shelf button:has-text("${name}")`).first().click();
    await until(page, (id) => window.workbench.state.facts.id === id, name.split('@')[0]);
    assert.equal((await state(page, 'findings')).filter(({ severity }) => severity === 'error').length, 0, name);
  }
  await page.close();
});

test('the report and the talk are files', { skip }, async () => {
  const page = await browser.open(server.address);
  const [report] = await Promise.all([page.waitForEvent('download'), page.click('#export')]);
  assert.equal(report.suggestedFilename(), 'late-order.html');
  assert.match(readFileSync(await report.path(), 'utf8'), /^<!DOCTYPE html>[^]*arrive tomorrow/);
  const [protocol] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
  assert.equal(readFileSync(await protocol.path(), 'utf8'), await source(page));
  await page.close();
});

test('a chat is opened as every door reads it, and a broken file leaves all in its place', { skip }, async () => {
  const page = await browser.open(server.address);
  const open = (name, value) => {
    const buffer = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    return page.setInputFiles('#file', { name, mimeType: 'application/json', buffer });
  };
  const typed = () => page.evaluate(() => window.workbench.state.text);
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Where is it?\nOrder: 7' }] },
    { role: 'assistant', content: null, tool_calls: [{ id: '1', type: 'function', function: { name: 'find', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: '1', content: 'lost' },
    { role: 'assistant', content: 'We apologize.' },
  ];
  await open('chat.json', { model: 'm', messages });
  await until(page, () => /assistant/.test(window.workbench.state.text));
  assert.equal(await typed(), 'user: Where is it?\n Order: 7\nassistant: We apologize.');
  await open('talk.json', { segments: [{ role: 'agent (sales)', content: 'We apologize.' }] });
  await says(page, '#notice', /agent \(sales\) as agent sales/);
  assert.equal(await typed(), 'agent sales: We apologize.');
  const before = await source(page);
  await open('cut.json', '{"segments":[{"role":');
  await says(page, '#notice', /^cut\.json cannot be read: /);
  await open('none.json', { segments: [{ content: 'no role' }] });
  await says(page, '#notice', /^none\.json cannot be read: .*role/);
  assert.deepEqual([await source(page), await typed()], [before, 'agent sales: We apologize.']);
  await page.close();
});

test('links that somebody made to do harm are refused, or show text', { skip, timeout: 120_000 }, async () => {
  const { deflateRawSync } = await import('node:zlib');
  const link = (value) => `${server.address}#w1=${deflateRawSync(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))).toString('base64url')}`;
  const told = async (address) => {
    const page = await browser.open(address);
    const text = await page.textContent('#notice');
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    assert.equal(await page.evaluate(() => ({}).polluted), undefined);
    await page.close();
    return text;
  };
  for (const [value, why] of [
    [' '.repeat(5 * 1024 * 1024), /unpacks to more than 4 MiB/],
    ['not json', /The link cannot be read/],
    [{ source: 1, text: '' }, /holds no protocol and talk/],
    [{ source: '', text: '', files: [1] }, /its list files are not texts/],
    [{ source: '', text: '', files: { a: { b: 1 } } }, /its list files are not texts/],
    ['{"source": "", "text": "", "files": {"__proto__": {"polluted": 1}}}', /its list files are not texts/],
    ['null', /The link cannot be read/],
  ]) {
    assert.match(await told(link(value)), why);
  }
  assert.match(await told(`${server.address}#w1=%%%`), /The link cannot be read/);
  const hostile = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>';
  const page = await browser.open(link({ source: `id: ${hostile}\nname: ${hostile}\n`, text: `${hostile}: ${hostile}`, turns: true, files: { [hostile]: hostile } }));
  await page.waitForSelector('#findings li');
  for (const tab of ['tests', 'course', 'stream', 'versions']) await page.click(`#tab-${tab}`);
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  assert.equal(await page.locator('main img, main script').count(), 0);
  await page.close();
});

test('nothing went wrong on the way', { skip }, () => assert.deepEqual(trouble, []));
