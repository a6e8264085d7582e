// `sonometer/worker` in Node: the same bytes and errors as without a worker, cancellation, transfer, what is left when it stops.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as direct from 'sonometer';
import * as remote from 'sonometer/worker';
import { answer, answers } from './answer.mjs';
import { allCases, inSessions } from './cases.mjs';

const here = import.meta.dirname;
const text = 'Thank you so much for your help. Could you please wait?';

after(() => remote.terminate());

test('every vector, through the worker', { timeout: 600_000 }, async () => {
  const whole = allCases(process.env.SONOMETER_ROOT);
  // Bit by bit through a worker takes long, so of those every tenth.
  const cases = [...whole, ...whole.flatMap(inSessions).filter((_, at) => at % 10 === 0)];
  const told = [];
  for (const one of cases) told.push(await answer(remote, one));
  assert.deepEqual(told, await answers(direct, cases));
});

test('members, results and frozen objects are the same', async () => {
  const own = direct.Sensor.shipped('courtesy');
  const other = await remote.Sensor.shipped('courtesy');
  assert.deepEqual({ ...other }, { ...own });
  assert.ok(Object.isFrozen(other.markers));
  const reading = await other.sense(text, { profile: 'discovery' });
  assert.ok(reading instanceof remote.Reading);
  assert.equal(reading.json(), own.sense(text, { profile: 'discovery' }).json());
  assert.ok(Object.isFrozen(reading.evidence));
  assert.throws(() => reading.shown(text), { name: 'SonometerError', message: /await sensor\.shown/ });
  assert.deepEqual(await other.shown(text), own.shown(text));
  assert.deepEqual(await other.fidelity(text), own.fidelity(text));
  const estimate = await other.estimate(2000);
  assert.equal(estimate.json(), own.estimate(2000).json());
  assert.equal(estimate.measured, own.estimate(2000).measured);
  assert.deepEqual(await remote.catalog(), direct.catalog());
  assert.equal(await remote.fingerprint(), direct.fingerprint());
  assert.equal((await (await remote.Sensor.load('refusal')).sense("I'm sorry, but I can't help with that.")).score, 1);
  assert.equal((await other.sense(await remote.Interaction.parse('{"content": "Thank you so much."}'))).json(), own.sense('Thank you so much.').json());
  await other.free();
  await assert.rejects(other.sense(text), { name: 'SonometerError', message: /freed/ });
});

test('errors keep their shape', async () => {
  const own = direct.Sensor.shipped('courtesy');
  const other = await remote.Sensor.shipped('courtesy');
  const misuse = [
    [(s) => s.sense([{ role: 'agent', contents: 'Hello.' }])],
    [(s) => s.sense(7)],
    [(s) => s.sense(null)],
    [(s) => s.sense('half \ud83d')],
    [(s) => s.sense(text, { profile: 'rich' })],
    [(s) => s.sense(text, { colour: 1 })],
    [(s) => s.compare('ok', text)],
    [(s) => s.batch(7)],
    [(s) => s.batch([], { profile: 'rich' })],
    [(_, { Sensor }) => Sensor.shipped('curtesy')],
    [(_, { Sensor }) => Sensor.fromSource('sonometer: 1\nid: 7\n')],
    [(_, { Interaction }) => Interaction.parse('{"content": 1}')],
  ];
  for (const [work] of misuse) {
    const thrown = await attempt(() => work(own, direct));
    const told = await attempt(() => work(other, remote));
    assert.ok(told instanceof remote.SonometerError, `${work}: ${told}`);
    assert.deepEqual(told.toJSON(), thrown.toJSON(), String(work));
    assert.equal(told.name, thrown.name);
  }
  await assert.rejects(other.sense({ content: () => 1 }), { name: 'SonometerError', code: 'invalid_request', place: 'interaction', message: /cannot be sent/ });
  // What follows a refusal is not disturbed by it.
  assert.equal((await other.sense(text)).json(), own.sense(text).json());
});

test('options of every call are read strictly', async () => {
  const sensor = await remote.Sensor.shipped('courtesy');
  const session = await sensor.session();
  const calls = [
    (options) => remote.Sensor.shipped('courtesy', options),
    (options) => remote.Sensor.load('courtesy', options),
    (options) => remote.Sensor.fromSource('sonometer: 1', options),
    (options) => sensor.sense(text, options),
    (options) => sensor.batch([text], options),
    (options) => sensor.shown(text, options),
    (options) => sensor.fidelity(text, options),
    (options) => sensor.compare(text, text, options),
    (options) => sensor.estimate(1, options),
    (options) => sensor.session(options),
    (options) => sensor.guard(options),
    (options) => session.push(text, options),
    (options) => session.beginSegment('a', options),
    (options) => session.pushSegment({ role: 'a', content: text }, options),
    (options) => session.end(options),
    (options) => session.soFar(options),
    (options) => session.finish(options),
  ];
  for (const call of calls) {
    await assert.rejects(call({ signl: 1 }), { name: 'SonometerError', code: 'invalid_request', place: 'options.signl' }, String(call));
    await assert.rejects(call(null), { name: 'SonometerError', place: 'options', message: /not null/ }, String(call));
    await assert.rejects(call({ signal: 1 }), { name: 'SonometerError', place: 'options.signal' }, String(call));
  }
  // As without a worker.
  await assert.rejects(sensor.guard({ release: false }), { place: 'options.release' });
});

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('batches: outcomes in their order, places counted from the first', async () => {
  const own = direct.Sensor.shipped('courtesy');
  const other = await remote.Sensor.shipped('courtesy');
  const all = Array.from({ length: 100 }, (_, at) => (at % 40 === 39 ? { contents: 'oops' } : `${text} ${at}`));
  const plain = (outcomes) => outcomes.map(({ reading, error }) => reading?.json() ?? error.toJSON());
  assert.deepEqual(plain(await other.batch(all)), plain(own.batch(all)));
  let taken = 0;
  const endless = (function* () {
    for (;;) {
      taken += 1;
      yield text;
    }
  })();
  let seen = 0;
  for await (const { reading } of other.each(endless)) {
    assert.equal(reading.target.id, 'courtesy');
    if ((seen += 1) === 50) break;
  }
  assert.ok(taken <= 64, `${taken} were taken`);
});

test('cancellation: what waits is not done, what runs is not waited for', async () => {
  const other = await remote.Sensor.shipped('personal-data');
  const long = 'My card is 4111 1111 1111 1111, write to imke@example.org. '.repeat(20_000);
  const cancel = new AbortController();
  const running = other.sense(long, { signal: cancel.signal });
  const waiting = other.sense(text, { signal: cancel.signal });
  const kept = other.sense(text);
  const why = new Error('the user went on typing');
  setTimeout(() => cancel.abort(why), 5);
  assert.equal(await attempt(() => running), why);
  assert.equal(await attempt(() => waiting), why);
  assert.equal((await kept).json(), direct.Sensor.shipped('personal-data').sense(text).json());
  assert.equal((await attempt(() => other.sense(text, { signal: AbortSignal.abort() }))).name, 'AbortError');
  await assert.rejects(other.sense(text, { signal: 7 }), { place: 'options.signal' });
  const batch = new AbortController();
  let count = 0;
  await assert.rejects(async () => {
    for await (const _ of other.each(Array.from({ length: 1000 }, () => text), { signal: batch.signal })) {
      if ((count += 1) === 40) batch.abort(why);
    }
  }, why);
  assert.ok(count < 100, `${count}`);
  // No listener stays with a signal that lives long.
  const life = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = life.signal;
  life.signal.addEventListener = (...args) => ((listeners += 1), addEventListener.apply(life.signal, args));
  life.signal.removeEventListener = (...args) => ((listeners -= 1), removeEventListener.apply(life.signal, args));
  await other.sense(text, { signal: life.signal });
  assert.equal(listeners, 0);
});

test('sessions and guards, with bytes that are moved', async () => {
  const other = await remote.Sensor.shipped('personal-data');
  const session = await other.session({ release: true });
  const bytes = new TextEncoder().encode('My card is 4111 1111 1111 1111. Thank you!');
  const step = session.push(bytes, { transfer: true });
  assert.equal(bytes.byteLength, 0, 'the bytes were moved');
  // Twice is not possible. It must not keep the calls behind it waiting either.
  await assert.rejects(session.push(bytes, { transfer: true }), { name: 'SonometerError', code: 'invalid_request', place: 'chunk' });
  // Not waited for: calls are done in their order.
  const ended = session.end();
  assert.equal([await step, await ended].flatMap(({ released }) => released).map((part) => part.text).join(''), 'My card is **** **** **** 1111. Thank you!');
  assert.deepEqual(session.settledTo, (await ended).settled_to);
  assert.equal((await session.finish()).json(), direct.Sensor.shipped('personal-data').sense('My card is 4111 1111 1111 1111. Thank you!').json());

  const parts = ['My card is 4111 1111 ', '', null, '1111 1111. Thank', ' you!'];
  const steps = [];
  const guard = await other.guard({ onStep: (step) => steps.push(step) });
  let shown = '';
  for await (const part of ReadableStream.from(parts).pipeThrough(guard)) shown += part;
  assert.equal(shown, 'My card is **** **** **** 1111. Thank you!');
  assert.ok(steps.length >= 4);
  assert.equal((await guard.reading).evidence.length, 2);
  const stopped = await other.guard({ onStep: () => { throw new Error('no more'); } });
  await assert.rejects(async () => { for await (const _ of ReadableStream.from(parts).pipeThrough(stopped)); }, /no more/);
  await assert.rejects(stopped.reading, /no more/);
});

test('after the worker was stopped, old sensors say so and new ones work', async () => {
  const other = await remote.Sensor.shipped('courtesy');
  const waiting = other.sense('Thank you. '.repeat(100_000));
  remote.terminate();
  await assert.rejects(waiting, { name: 'SonometerError', code: 'internal_error', message: /stopped/ });
  await assert.rejects(other.sense(text), { name: 'SonometerError', message: /make a new one/ });
  assert.ok((await (await remote.Sensor.shipped('courtesy')).sense(text)).score > 0);
});

test('a start that fails may be tried again', async () => {
  remote.terminate();
  await assert.rejects(remote.init(new Uint8Array(9)), { name: 'SonometerError', code: 'invalid_request', place: 'source' });
  const failing = () => { throw new Error('no workers here'); };
  await assert.rejects(remote.init(undefined, { worker: failing }), { code: 'internal_error', message: /no workers here.*keep worker-thread-node\.js/ });
  await assert.rejects(remote.init(undefined, { wroker: failing }), { place: 'options.wroker' });
  const module = new URL('./node_modules/sonometer/sonometer.wasm', import.meta.url);
  await assert.rejects(remote.init(new URL('nowhere.wasm', module)), { code: 'invalid_request', place: 'source' });
  await remote.init(module);
});

test('a worker that ends by itself or by others is heard of, and one that is none is refused', async () => {
  for (const [own, is] of [[() => ({}), 'an object'], [() => undefined, 'undefined'], [7, 'a number'], [async () => {}, 'a promise']]) {
    remote.terminate();
    await assert.rejects(remote.init(undefined, { worker: own }), { code: 'invalid_request', place: 'options.worker', message: new RegExp(`this is ${is}$`) });
  }
  const ended = () => new Worker('process.exit(3)', { eval: true });
  await assert.rejects(remote.init(undefined, { worker: ended }), { code: 'internal_error', message: /it ended with the code 3/ });
  let own;
  const thread = new URL('./node_modules/sonometer/worker-thread-node.js', import.meta.url);
  await remote.init(undefined, { worker: () => (own = new Worker(thread)) });
  const other = await remote.Sensor.shipped('courtesy');
  const running = other.sense('Thank you so much. '.repeat(100_000));
  setTimeout(() => own.terminate(), 10);
  await assert.rejects(running, { code: 'internal_error', message: /it ended/ });
  await assert.rejects(other.sense(text), { message: /make a new one/ });
  assert.ok((await (await remote.Sensor.shipped('courtesy')).sense(text)).score > 0);
});

test('both entries take the interactions of the other', async () => {
  const json = '{"content": "Thank you so much."}';
  const other = await remote.Sensor.shipped('courtesy');
  const here = direct.Sensor.shipped('courtesy');
  const given = [direct.Interaction.parse(json), await remote.Interaction.parse(json)];
  for (const one of given) {
    assert.equal((await other.sense(one)).json(), here.sense(one).json());
    assert.ok(here.sense(one).score > 0);
  }
});

test('a worker that is stopped while it starts does not take the next one with it', async () => {
  for (const milliseconds of [0, 1, 20]) {
    remote.terminate();
    const first = remote.init();
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
    remote.terminate();
    const second = remote.init();
    await assert.rejects(first, { code: 'internal_error', message: /stopped/ });
    await second;
  }
  assert.ok((await (await remote.Sensor.shipped('courtesy')).sense(text)).score > 0);
});

test('a process ends by itself', () => {
  const script = join(here, 'worker-ends.mjs');
  writeFileSync(script, "import { Sensor } from 'sonometer/worker';\nconst sensor = await Sensor.shipped('courtesy');\nconsole.log((await sensor.sense('Thank you so much.')).json());\n");
  const run = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(run.stdout.trim(), direct.Sensor.shipped('courtesy').sense('Thank you so much.').json(), run.stderr);
  assert.equal(run.status, 0);
});
