// The package as it is installed from its archive.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, constants } from 'node:zlib';
import * as esm from 'sonometer';

const here = import.meta.dirname;
const installed = join(here, 'node_modules/sonometer');
const cjs = createRequire(import.meta.url)('sonometer');

test('what is in it', () => {
  assert.deepEqual(readdirSync(installed).sort(), [
    'LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'chats-node.js', 'chats.d.ts', 'chats.js', 'chats.wasm', 'dives.d.cts', 'dives.d.ts', 'errors.d.cts', 'errors.d.ts', 'examples', 'highlight.d.ts', 'highlight.js', 'index.d.cts', 'index.d.ts',
    'node.cjs', 'node.js', 'package.json', 'promptfoo.cjs', 'promptfoo.d.cts', 'promptfoo.d.ts', 'promptfoo.js', 'protocols', 'readings.d.cts', 'readings.d.ts', 'sensor.d.cts', 'sensor.d.ts', 'sonometer.wasm', 'stage.d.cts', 'stage.d.ts', 'talk.d.ts',
    'talk.js', 'web.js', 'worker-node.js', 'worker-thread-node.js', 'worker-thread.js', 'worker.d.ts', 'worker.js',
  ]);
  const protocols = readdirSync(join(installed, 'protocols'));
  assert.ok(protocols.includes('refusal@1.0.yaml') && protocols.every((file) => /^[a-z-]+@[\d.]+\.yaml$|^names-and-places$/.test(file)), protocols.join());
  // With the notice of whose data they are.
  const lists = readdirSync(join(installed, 'protocols/names-and-places'));
  assert.deepEqual(lists.sort(), ['NOTICE', 'cities.txt', 'countries.txt', 'doubtful-more.txt', 'doubtful.txt', 'family-more.txt', 'family.txt', 'given-more.txt', 'given.txt']);
  const { version, dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.ok(esm.fingerprint().startsWith(`sonometer ${version};`), 'the version is that of the engine');
  assert.equal(dependencies, undefined);
});

test('what the README leads to is in it', () => {
  const links = [...readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/\]\(([^):#]+)\)/g)].map(([, link]) => link);
  assert.ok(links.length > 0);
  for (const link of links) assert.ok(existsSync(join(installed, link)), link);
});

test('require and import give the same classes', () => {
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
  for (const name of Object.keys(esm)) assert.equal(cjs[name], esm[name], name);
});

test('consoles show classes by their names', () => {
  for (const [name, value] of Object.entries(esm)) assert.equal(value.name, name);
});

test('nothing evaluates text, which content security policies forbid', () => {
  for (const file of ['web.js', 'node.cjs', 'highlight.js', 'talk.js', 'worker.js', 'worker-node.js']) {
    assert.doesNotMatch(readFileSync(join(installed, file), 'utf8'), /\beval\(|\bFunction\(/, file);
  }
});

test('a script with require', () => {
  const script = `
    const { Sensor } = require('sonometer');
    process.stdout.write(Sensor.shipped('courtesy@1.5').sense('Thank you so much for your help.').json());`;
  const run = spawnSync(process.execPath, ['-e', script], { cwd: here, encoding: 'utf8' });
  assert.equal(run.stdout, esm.Sensor.shipped('courtesy@1.5').sense('Thank you so much for your help.').json(), run.stderr);
});

test('who does not wait for init keeps the engine that was started meanwhile', () => {
  const script = `
    const { init, Sensor } = require('sonometer');
    const ready = init(require('node:fs').readFileSync(require.resolve('sonometer/sonometer.wasm')));
    setTimeout(async () => {
      const sensor = Sensor.shipped('courtesy');
      const session = sensor.session();
      session.push('Thank you ');
      await ready;
      session.push('so much.');
      process.stdout.write(session.finish().json());
    });`;
  const run = spawnSync(process.execPath, ['-e', script], { cwd: here, encoding: 'utf8' });
  assert.equal(run.stdout, esm.Sensor.shipped('courtesy').sense('Thank you so much.').json(), run.stderr);
});

test('init takes a module, bytes, an address and an answer', () => {
  const script = `
    const { init, fingerprint } = require('sonometer');
    const bytes = require('node:fs').readFileSync(require.resolve('sonometer/sonometer.wasm'));
    const given = { module: () => new WebAssembly.Module(bytes), bytes: () => bytes.buffer, path: () => require.resolve('sonometer/sonometer.wasm'),
      url: () => require('node:url').pathToFileURL(require.resolve('sonometer/sonometer.wasm')), answer: () => new Response(bytes), later: async () => bytes };
    init(given[process.argv[1]]()).then(() => process.stdout.write(fingerprint()));`;
  for (const kind of ['module', 'bytes', 'path', 'url', 'answer', 'later']) {
    const run = spawnSync(process.execPath, ['-e', script, kind], { cwd: here, encoding: 'utf8' });
    assert.equal(run.stdout, esm.fingerprint(), `${kind}: ${run.stderr}`);
  }
});

test('in a worker', async () => {
  const script = `
    const { parentPort } = require('node:worker_threads');
    const { Sensor } = require('sonometer');
    parentPort.postMessage(Sensor.shipped('courtesy@1.5').sense('Thank you so much.'));`;
  const worker = new Worker(script, { eval: true });
  const reading = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await worker.terminate();
  assert.deepEqual(reading, { ...esm.Sensor.shipped('courtesy@1.5').sense('Thank you so much.') });
});

const esbuild = join(here, '../tools/node_modules/.bin/esbuild');

/** The side for browsers of an entry, as bundlers take it. */
async function bundle(name, entry) {
  const source = join(here, `${name}-entry.mjs`);
  writeFileSync(source, `export * from '${entry}';`);
  const bundled = join(here, `${name}.mjs`);
  const run = spawnSync(esbuild, [source, '--bundle', '--format=esm', '--platform=browser', `--outfile=${bundled}`, '--log-level=warning'], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return import(bundled);
}

test('bundlers take the side for browsers, which waits for init', async () => {
  const bundled = await bundle('bundled', 'sonometer');
  assert.throws(() => bundled.Sensor.shipped('courtesy'), { name: 'SonometerError', code: 'invalid_request', message: /await init\(\)/ });
  // An address that has none, bytes that are none; then the right ones, as any of what WebAssembly is read from.
  await assert.rejects(bundled.init('http://127.0.0.1:9/'), { name: 'SonometerError', code: 'invalid_request', place: 'source' });
  await assert.rejects(bundled.init(new Uint8Array(9)), { name: 'SonometerError', place: 'source' });
  await assert.rejects(bundled.init(7), { name: 'SonometerError', place: 'source' });
  await Promise.all([bundled.init(Promise.resolve(readFileSync(join(installed, 'sonometer.wasm')))), bundled.init()]);
  await bundled.init();
  assert.equal(bundled.fingerprint(), esm.fingerprint());
});

test('bundlers find the address of the module in the script', () => {
  assert.match(readFileSync(join(installed, 'web.js'), 'utf8'), /new URL\("\.\/sonometer\.wasm",import\.meta\.url\)/);
  // For Vite an address that is made of parts is every file that it could mean: the page would get all of the package.
  for (const entry of ['chats', 'highlight', 'talk', 'web', 'worker', 'worker-thread']) {
    assert.doesNotMatch(readFileSync(join(installed, `${entry}.js`), 'utf8'), /new URL\(`[^`]*`,import\.meta\.url/, entry);
  }
});

test('a bundle that is no module has no address, and takes that of the engine', () => {
  const source = join(here, 'script-entry.mjs');
  writeFileSync(source, `
    import { Sensor, init } from 'sonometer';
    import { fromMessages, init as initChats } from 'sonometer/chats';
    globalThis.use = async (engine, chats) => {
      const refused = (promise) => promise.then(() => 'no error', ({ name, message }) => name + ': ' + message);
      const told = [await refused(init()), await refused(fromMessages([{ role: 'user', content: 'Hello.' }]))];
      await init(engine);
      await initChats(chats);
      const { interaction } = await fromMessages([{ role: 'user', content: 'Thank you so much.' }]);
      return [...told, await refused(Sensor.load('refusal')), Sensor.shipped('courtesy').sense(interaction).json()];
    };`);
  const bundled = join(here, 'script.cjs');
  const built = spawnSync(esbuild, [source, '--bundle', '--format=iife', '--platform=browser', `--outfile=${bundled}`, '--log-level=error'], { encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);
  const script = `
    const { readFileSync } = require('node:fs');
    require('./script.cjs');
    use(readFileSync('${installed}/sonometer.wasm'), readFileSync('${installed}/chats.wasm')).then((told) => console.log(JSON.stringify(told)));`;
  const run = spawnSync(process.execPath, ['-e', script], { cwd: here, encoding: 'utf8' });
  const [engine, chats, file, reading] = JSON.parse(run.stdout || '[""]');
  assert.match(engine, /^SonometerError: this script is no module.*sonometer\.wasm.*give `init` its address/, run.stderr);
  assert.match(chats, /^SonometerError: this script is no module.*chats\.wasm/);
  assert.match(file, /^SonometerError: protocols\/refusal@.*cannot be read.*Sensor\.fromSource/);
  assert.equal(reading, esm.Sensor.shipped('courtesy').sense([{ role: 'user', content: 'Thank you so much.' }]).json());
});

test('the former entry is the same for bundlers, by both of its names', async () => {
  const bundled = await bundle('bundled-dives', 'sonometer/dives');
  assert.throws(() => bundled.Stage.shipped('drinking-less'), { name: 'SonometerError', message: /await init\(\)/ });
  await bundled.init(readFileSync(createRequire(import.meta.url).resolve('sonometer/sonometer-dives.wasm')));
  assert.equal(bundled.Stage.shipped('drinking-less').open().turn, 0);
  assert.equal(bundled.Sensor.shipped('courtesy@1.0').sense('Thank you so much.').json(), esm.Sensor.shipped('courtesy@1.0').sense('Thank you so much.').json());
});

test('what a bundler need not keep', async () => {
  const { sideEffects } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.deepEqual(sideEffects, ['./talk.js', './worker-thread.js', './worker-thread-node.js']);
  const source = join(here, 'shaken-entry.mjs');
  const bundled = (text) => {
    writeFileSync(source, text);
    const run = spawnSync(esbuild, [source, '--bundle', '--format=esm', '--platform=browser', '--external:*.wasm'], { encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    return run.stdout;
  };
  assert.ok(bundled("import 'sonometer/talk';").includes('sonometer-talk'), 'the element is defined by importing it');
  assert.ok(bundled("import { highlight } from 'sonometer/highlight'; import { Sensor } from 'sonometer';").length < 100, 'what is not used is left out');
  // The element and the marks do not bring the engine with them.
  for (const [entry, most] of [['highlight', 6_000], ['talk', 14_000], ['worker', 16_000]]) {
    const { size } = statSync(join(installed, `${entry}.js`));
    assert.ok(size <= most, `${entry}.js has ${size} bytes`);
  }
});

test('where a bundler took the script alone, the error says what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonometer-'));
  try {
    copyFileSync(join(installed, 'node.cjs'), join(folder, 'bundle.cjs'));
    const use = "try { require('./bundle.cjs').catalog() } catch (error) { console.log(error.place, error.message) }";
    const run = spawnSync(process.execPath, ['-e', use], { cwd: folder, encoding: 'utf8' });
    assert.match(run.stdout, /^source .*sonometer\.wasm cannot be read .*; leave the package out of your bundle \(in esbuild --external:sonometer\)/, run.stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// What browsers have to fetch at most, with the script, by brotli.
const BUDGET = 600_000;

test('it does not grow unnoticed', () => {
  const small = readFileSync(join(here, '../standard-library'), 'utf8').includes('optimize_for_size');
  const bytes = readFileSync(join(installed, 'sonometer.wasm'));
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  const packed = brotliCompressSync(bytes, options).length + brotliCompressSync(readFileSync(join(installed, 'web.js'))).length;
  console.log(`size: ${bytes.length} bytes; with the script ${packed} by brotli 11`);
  assert.ok(packed <= BUDGET, `${packed} bytes are more than ${BUDGET}`);
  if (small) assert.ok(!bytes.includes('/registry/src/'), 'the module names folders of the machine that built it');
});
