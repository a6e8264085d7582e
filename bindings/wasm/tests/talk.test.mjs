// `<sonometer-talk>` and the worker in Chromium, under a strict policy: by axe in both themes, with hostile talks, and the examples.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as sonometer from 'sonometer';
import { browse, executablePath, folders } from './browser.mjs';
import { serve } from './serve.mjs';

const here = import.meta.dirname;
const need = createRequire(join(here, '../tools/package.json'));
const pictures = join(here, 'pictures');
const skip = existsSync(executablePath) ? false : `no ${executablePath}`;
const trouble = [];
let browser;
let server;

before(async () => {
  if (skip) return;
  mkdirSync(pictures, { recursive: true });
  server = await serve({
    ...folders(here, join(here, 'cases-chromium.jsonl')),
    '/talk/': join(here, 'examples/talk'),
    '/talk/sonometer/': join(here, 'node_modules/sonometer'),
    '/react/': join(here, 'examples/react'),
  });
  browser = await browse(here, (what) => trouble.push(what));
});

after(async () => {
  await browser?.close();
  await server?.close();
});

async function open(path, scheme = 'light') {
  const page = await browser.newPage();
  page.on('console', (message) => message.type() === 'error' && trouble.push(`${path}: ${message.text()}`));
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.goto(`${server.address}${path}`);
  return page;
}

/** Everything that the element says anywhere: texts, attributes, styles. */
const said = (page) => page.evaluate(() => [...document.querySelectorAll('sonometer-talk')].map((talk) => talk.shadowRoot.innerHTML).join('\n'));
const marked = (page) => page.waitForFunction(() => document.querySelector('sonometer-talk')?.shadowRoot.querySelector('mark'));

async function axe(page, name) {
  const { AxeBuilder } = need('@axe-core/playwright');
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ target, failureSummary }) => [target, failureSummary])]), [], name);
}

for (const scheme of ['light', 'dark']) {
  test(`the example page, ${scheme}: the engine in a worker, no findings of axe`, { skip, timeout: 300_000 }, async () => {
    const page = await open('/talk/index.html', scheme);
    await marked(page);
    await page.screenshot({ path: join(pictures, `talk-${scheme}.png`), fullPage: true });
    await axe(page, scheme);
    const looks = await page.evaluate(() =>
      [...document.querySelector('sonometer-talk').shadowRoot.querySelectorAll('li mark')].map((mark) => {
        const { backgroundColor, backgroundImage, textDecorationStyle, textDecorationLine } = getComputedStyle(mark);
        return { marker: mark.textContent, fill: `${backgroundColor} ${backgroundImage}`, hatched: backgroundImage !== 'none', line: `${textDecorationLine} ${textDecorationStyle}`, below: mark.parentElement.textContent };
      }),
    );
    assert.ok(looks.length >= 4, JSON.stringify(looks));
    assert.equal(new Set(looks.map(({ fill, line }) => fill + line)).size, looks.length, 'no two markers look the same');
    for (const { hatched, below, line } of looks) {
      assert.match(line, /^underline (solid|dashed|double|dotted)$/);
      assert.equal(hatched, below.includes('▼') && below.includes('bad news'), below);
    }
    assert.ok(looks.some(({ hatched }) => hatched) && looks.some(({ hatched }) => !hatched), 'both poles are on the page');
    // Another protocol, and typing.
    await page.selectOption('#protocol', 'personal-data');
    await page.waitForFunction(() => document.querySelector('sonometer-talk').shadowRoot.textContent.includes('****'));
    assert.doesNotMatch(await said(page), /4111 1111/);
    await page.screenshot({ path: join(pictures, `masked-${scheme}.png`), fullPage: true });
    await axe(page, `${scheme}, masked`);
    await page.fill('#text', 'Thank you');
    await page.waitForFunction(() => !document.querySelector('sonometer-talk').shadowRoot.textContent.includes('***'));
    await page.close();
  });
}

test('poles and markers are seen without colours', { skip, timeout: 300_000 }, async () => {
  const page = await open('/talk/index.html');
  await marked(page);
  const session = await page.context().newCDPSession(page);
  for (const type of ['achromatopsia', 'deuteranopia']) {
    await session.send('Emulation.setEmulatedVisionDeficiency', { type });
    await page.screenshot({ path: join(pictures, `talk-${type}.png`), fullPage: true });
  }
  await page.close();
});

/** A page with the element and no engine, for talks of a test's own. */
async function bare() {
  const page = await open('/tests/page/index.html');
  await page.waitForFunction(() => document.title === 'ready');
  await page.evaluate(async () => {
    await window.door.sonometer.init();
    // Set before the element is known: it must still be taken.
    window.talk = document.createElement('sonometer-talk');
    window.talk.talk = 'Thank you so much for your help.';
    window.talk.sensor = window.door.sonometer.Sensor.shipped('courtesy');
    document.body.append(window.talk);
    await import('/package/talk.js');
    window.shows = (given) =>
      new Promise((resolve) => {
        for (const name of ['sonometer-reading', 'sonometer-error']) {
          window.talk.addEventListener(name, ({ type, detail }) => resolve({ type, message: detail.message }), { once: true });
        }
        Object.assign(window.talk, given());
      });
  });
  await marked(page);
  return page;
}

test('a turn has the direction of what is said, not of who says it', { skip, timeout: 300_000 }, async () => {
  const page = await bare();
  const talk = [
    { role: 'agent', content: '\u05ea\u05d5\u05d3\u05d4 \u05e8\u05d1\u05d4, thank you so much for your help!' },
    { role: '\u05dc\u05e7\u05d5\u05d7', content: 'Thank you so much for your help!' },
  ];
  await page.evaluate((talk) => window.shows(() => ({ talk })), talk);
  const directions = await page.evaluate(() => [...window.talk.shadowRoot.querySelectorAll('p')].map((turn) => getComputedStyle(turn).direction));
  assert.deepEqual(directions.slice(0, 2), ['rtl', 'ltr']);
  await page.close();
});

test('hostile talks are text and nothing else', { skip, timeout: 300_000 }, async () => {
  const page = await bare();
  const hostile = `<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>"><svg onload=window.hurt=1> Thank you so much for <b>your</b> help. ' style="color:red" \u202e\u0000 &lt;`;
  const { type } = await page.evaluate((text) => window.shows(() => ({ talk: [{ role: '<img src=x onerror="window.hurt=1">', content: text }] })), hostile);
  assert.equal(type, 'sonometer-reading');
  assert.equal(await page.evaluate(() => window.talk.shadowRoot.querySelectorAll('img, script, svg, b, [style*=color]').length), 0);
  assert.ok((await page.evaluate(() => window.talk.shadowRoot.textContent)).includes('<img src=x onerror='));
  const own = `sonometer: 1\nid: own\nversion: "1.0"\ntaxonomy: Policy\nlanguage: en\nscore: any\nfidelity: {sufficient: 0}\nmarkers:\n  - label: thanks"><img onerror=window.hurt=1>\n    strong: thank you\n    hit: thank you\n    miss: no\n`;
  const told = await page.evaluate((source) => {
    try {
      window.door.sonometer.Sensor.fromSource(source);
      return 'taken';
    } catch (error) {
      return error.code;
    }
  }, own);
  assert.equal(told, 'invalid_protocol', 'labels are plain words, and a reading that says otherwise is still text');
  const forged = await page.evaluate(() =>
    window.shows(() => {
      const metamarker = '"><img src=x onerror=window.hurt=1>';
      const reading = { score: 1, resonance: { [metamarker]: 1 }, evidence: [{ metamarker, source: 'Thank', start: 0, end: 5, score: 1 }], fidelity: { index: 1, sufficient: true } };
      return { sensor: undefined, reading, shown: [{ role: undefined, text: 'Thank you', masks: [] }] };
    }),
  );
  assert.equal(forged.type, 'sonometer-reading');
  assert.equal(await page.evaluate(() => window.talk.shadowRoot.querySelectorAll('img').length), 0);
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  await page.close();
});

test('nothing masked is shown anywhere, nor in errors', { skip, timeout: 300_000 }, async () => {
  const page = await bare();
  const secrets = ['4111 1111 1111 1111', 'imke@example.org', '4111 1111 1111 1112'];
  await page.evaluate((all) => window.shows(() => ({ sensor: window.door.sonometer.Sensor.shipped('personal-data'), talk: `Cards ${all.join(', ')}.` })), secrets);
  await page.evaluate(() => window.talk.setAttribute('profile', 'discovery'));
  await page.waitForFunction(() => window.talk.reading.profile === 'discovery');
  for (const secret of secrets) assert.ok(!(await said(page)).includes(secret.slice(0, 9)), secret);
  // A reading of another talk: an error, whose note does not repeat the talk.
  const wrong = await page.evaluate((text) =>
    window.shows(() => ({ sensor: undefined, shown: undefined, talk: text, reading: window.door.sonometer.Sensor.shipped('courtesy').sense('Thank you so much for your help.') })), secrets[0]);
  assert.equal(wrong.type, 'sonometer-error');
  assert.equal(await page.evaluate(() => window.talk.shadowRoot.textContent), 'This talk cannot be shown.');
  // A stored reading without what may be shown.
  const stored = await page.evaluate((text) => window.shows(() => ({ talk: text, reading: JSON.parse(window.door.sonometer.Sensor.shipped('personal-data').sense(text).json()) })), secrets[1]);
  assert.equal(stored.type, 'sonometer-error');
  assert.match(stored.message, /sensor\.shown\(talk\)/);
  assert.ok(!(await said(page)).includes('imke'));
  await page.close();
});

test('too little to measure is said, several changes are one, the newest wins', { skip, timeout: 300_000 }, async () => {
  const page = await bare();
  await page.evaluate(() => window.shows(() => ({ talk: 'ok' })));
  assert.match(await page.evaluate(() => window.talk.shadowRoot.textContent), /^okToo little to measure/);
  // A longer text would not help here.
  await page.evaluate(async () => {
    window.courtesy = window.talk.sensor;
    const uptake = await window.door.sonometer.Sensor.load('uptake');
    await window.shows(() => ({ sensor: uptake, talk: [{ role: 'x', content: 'That is right, and why do you think so?' }, { role: 'y', content: 'Because it is so.' }] }));
  });
  assert.match(await page.evaluate(() => window.talk.shadowRoot.textContent), /Nothing to measure: turns of teacher are needed, and these are of x and y\.$/);
  await page.evaluate(() => window.shows(() => ({ sensor: window.courtesy, talk: 'ok' })));
  const told = await page.evaluate(async () => {
    let count = 0;
    window.talk.addEventListener('sonometer-reading', () => (count += 1));
    const slow = {
      markers: window.talk.sensor.markers,
      sense: (talk) => new Promise((resolve) => setTimeout(() => resolve(sensor.sense(talk)), talk.includes('slow') ? 300 : 10)),
      shown: (talk) => sensor.shown(talk),
    };
    const { sensor } = window.talk;
    window.talk.talk = 'one';
    window.talk.talk = 'two';
    window.talk.sensor = slow;
    window.talk.talk = 'Thank you so much, this one is slow.';
    await new Promise((resolve) => setTimeout(resolve, 20));
    window.talk.talk = 'Thank you so much, this one is quick.';
    await new Promise((resolve) => setTimeout(resolve, 600));
    return { count, text: window.talk.shadowRoot.querySelector('p').textContent, legend: window.talk.shadowRoot.querySelectorAll('ul').length };
  });
  assert.equal(told.count, 1);
  assert.match(told.text, /quick/);
  assert.equal(told.legend, 1);
  await page.evaluate(() => window.talk.setAttribute('legend', 'none'));
  await page.waitForFunction(() => window.talk.shadowRoot.querySelector('ul') === null);
  await page.close();
});

test('the worker in a page: the same bytes, cancelled and stopped', { skip, timeout: 300_000 }, async () => {
  const page = await bare();
  const told = await page.evaluate(async () => {
    const remote = await import('/package/worker.js');
    const text = 'Thank you so much for your help. Could you please wait?';
    const sensor = await remote.Sensor.shipped('courtesy');
    const same = (await sensor.sense(text)).json() === window.door.sonometer.Sensor.shipped('courtesy').sense(text).json();
    const file = (await (await remote.Sensor.load('refusal')).sense("I'm sorry, but I can't help with that.")).score;
    const cancel = new AbortController();
    const long = sensor.sense('Thank you so much. '.repeat(100_000), { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 5);
    const aborted = await long.catch((error) => error.name);
    const waiting = sensor.sense(text);
    remote.terminate();
    const stopped = await waiting.catch((error) => [error.name, error.code, error instanceof window.door.sonometer.SonometerError].join());
    const missing = await remote.init('nowhere.wasm').catch((error) => [error.code, error.message].join());
    const noScript = await remote.init(undefined, { worker: () => new Worker('/nowhere.js') }).catch((error) => error.message);
    return { same, file, aborted, stopped, missing, noScript };
  });
  assert.equal(told.same, true);
  assert.equal(told.file, 1);
  assert.equal(told.aborted, 'AbortError');
  assert.equal(told.stopped, 'SonometerError,internal_error,true');
  assert.match(told.missing, /^invalid_request,http:.*\/tests\/page\/nowhere\.wasm answers 404/);
  assert.match(told.noScript, /^the worker failed \(its script cannot be loaded\); serve worker-thread\.js/);
  const [wanted] = trouble.splice(0).filter((what) => !what.includes('404'));
  assert.equal(wanted, undefined);
  await page.close();
});

test('the example for React', { skip, timeout: 300_000 }, async () => {
  const source = join(here, 'examples/react');
  const run = spawnSync(join(here, '../tools/node_modules/.bin/esbuild'), [
    join(source, 'src/main.tsx'), '--bundle', '--format=esm', '--target=es2022', `--outdir=${join(source, 'dist')}`, '--jsx=automatic', '--log-level=warning',
  ], { encoding: 'utf8', env: { ...process.env, NODE_PATH: `${join(here, '../tools/node_modules')}:${join(here, 'node_modules')}` } });
  assert.equal(run.status, 0, run.stderr);
  for (const name of ['web.js', 'worker-thread.js', 'sonometer.wasm']) copyFileSync(join(here, 'node_modules/sonometer', name), join(source, 'dist', name));
  const page = await open('/react/index.html');
  await page.waitForSelector('.talk mark');
  await marked(page);
  assert.doesNotMatch(await page.evaluate(() => document.querySelector('.talk').outerHTML), /imke@/);
  const score = await page.textContent('output');
  await page.fill('textarea', 'My card is 4111 1111 1111 1111, thanks.');
  await page.waitForFunction(() => document.querySelector('.talk').textContent.includes('****'));
  await page.waitForFunction(() => document.querySelector('sonometer-talk').shadowRoot.textContent.includes('****'));
  assert.match(score, /^score /);
  await axe(page, 'react');
  await page.screenshot({ path: join(pictures, 'react.png'), fullPage: true });
  await page.close();
});

test('nothing went wrong on the way', { skip }, () => assert.deepEqual(trouble, []));
