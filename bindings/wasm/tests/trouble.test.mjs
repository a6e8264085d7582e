// Wrong input of every kind: a clear error that names the place, and a sensor that goes on working.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as sonometer from 'sonometer';
import { Interaction, Reading, Sensor, SonometerError } from 'sonometer';
import { refused, thanks } from './helpers.mjs';
import { expected, misuse } from './misuse.mjs';

const sensor = Sensor.fromSource(thanks);

test('an error is an Error with code, place and details', () => {
  const error = refused(() => sensor.sense([{ role: 'a', contents: 'x' }]), { code: 'invalid_request', place: 'segments[0].contents', message: /did you mean `content`/ });
  assert.ok(error instanceof Error);
  assert.equal(error.name, 'SonometerError');
  assert.equal(String(error), `SonometerError: ${error.message}`);
  assert.deepEqual(error.toJSON(), { code: error.code, message: error.message, place: error.place, details: {} });
});

test('wrong types', () => {
  for (const input of [undefined, null, 7, 7n, true, Symbol('x'), () => 'x']) {
    refused(() => sensor.sense(input), { code: 'invalid_request', place: 'interaction' });
    refused(() => sensor.fidelity(input), { code: 'invalid_request', place: 'interaction' });
    refused(() => Sensor.shipped(input), { code: 'invalid_request', place: 'name' });
    refused(() => Sensor.fromSource(input), { code: 'invalid_request', place: 'source' });
    refused(() => Interaction.parse(input), { code: 'invalid_request', place: 'json' });
  }
  for (const input of [{}, { content: undefined }, { content: 'a', segments: [] }, { contents: 'a' }, { content: 7 }]) {
    refused(() => sensor.sense(input), { code: 'invalid_request' });
  }
  for (const [input, called] of [[null, 'null'], [undefined, 'undefined']]) {
    const [, { error }] = sensor.batch(['thank you', input]);
    assert.equal(error.place, 'interactions[1]');
    assert.match(error.message, new RegExp(`not ${called}; give ''`));
  }
  for (const row of [{ role: 'user', content: null }, { role: 'user', content: undefined, timestamp: null }]) {
    const [{ error }] = sensor.batch([[row]]);
    assert.match(error.message, /null|missing/);
    assert.match(error.place, /^interactions\[0\]\.segments\[0\]/);
  }
  // A file that was read without its encoding.
  const file = Buffer.from(JSON.stringify(thanks));
  refused(() => Sensor.fromSource(file), { place: 'source', message: /not bytes$/ });
  refused(() => sensor.sense(file), { place: 'interaction', message: /not bytes$/ });
  refused(() => Interaction.parse(file), { place: 'json', message: /not bytes$/ });
  refused(() => sensor.sense([null]), { place: 'segments[0]', message: /^expected an object, found null/ });
  refused(() => sensor.sense([]), { place: 'segments', message: /at least one segment/ });
  refused(() => sensor.sense(['hello']), { place: 'segments[0]' });
  refused(() => sensor.sense([{ role: 'a', content: 'x', timestamp: NaN }]), { place: 'segments[0].timestamp' });
  refused(() => sensor.sense([{ role: 'a', content: 'x', timestamp: new Date(0) }]), { place: 'segments[0].timestamp' });
  refused(() => Sensor.fromSource([]), { place: 'source' });
  refused(() => Sensor.fromSource(thanks, { shelf: 'x' }), { place: 'options.shelf' });
  refused(() => Sensor.fromSource(thanks, { shelf: [7] }), { place: 'options.shelf[0]' });
  refused(() => Sensor.fromSource(thanks, { shipped: 'no' }), { place: 'options.shipped' });
});

test('options are read strictly', () => {
  for (const [options, place] of [
    [null, 'options'],
    [[], 'options'],
    ['raw', 'options'],
    [{ profil: 'raw' }, 'options.profil'],
    [{ profile: 'all' }, 'options.profile'],
    [{ profile: 0 }, 'options.profile'],
    [{ offsets: 'utf8' }, 'options.offsets'],
    [{ offsets: true }, 'options.offsets'],
    [{ flow: 'agent' }, 'options.flow'],
    [{ flow: { primary: 7 } }, 'options.flow.primary'],
    [{ flow: { first: 'a' } }, 'options.flow.first'],
    [{ temporal: { window: '60' } }, 'options.temporal.window'],
    [{ temporal: { window: Infinity } }, 'options.temporal.window'],
    [{ usdPerIcs: 'free' }, 'options.usdPerIcs'],
    [{ usdPerIcs: -1 }, 'options.usdPerIcs'],
    [{ usdPerIcs: 1e300 }, 'options.usdPerIcs'],
  ]) {
    refused(() => sensor.sense('a', options), { code: 'invalid_request', place });
    refused(() => sensor.batch(['a'], options), { code: 'invalid_request', place });
  }
});

test('classes are not made by hand', () => {
  for (const make of [() => new Sensor(), () => new Reading(), () => new Interaction('{}')]) refused(make, { code: 'invalid_request' });
});

test('objects that have no JSON form', () => {
  const circle = {};
  circle.content = circle;
  refused(() => sensor.sense(circle), { place: 'interaction', message: /cannot be written as JSON/ });
  refused(() => sensor.sense({ content: 7n }), { place: 'interaction', message: /BigInt/ });
  const failing = { get content() { throw new RangeError('mine'); } };
  const error = refused(() => sensor.sense(failing), { place: 'interaction', message: /mine/ });
  assert.ok(error.cause instanceof RangeError);
  refused(() => sensor.sense({ toJSON: () => undefined }), { place: 'interaction' });
});

test('objects that throw when they are read once more, or are nested very deep', () => {
  let reads = 0;
  const moody = { role: 'a', content: 'x', get timestamp() { if ((reads += 1) > 1) throw new RangeError('mine'); return null; } };
  refused(() => sensor.sense([moody]), { code: 'invalid_request', place: 'interaction', message: /cannot be written as JSON \(mine\)/ });
  for (let depth = 1000; depth < 10_000; depth += 100) {
    let call = 'half \ud800';
    for (let at = 0; at < depth; at += 1) call = { call };
    refused(() => sensor.sense([{ role: 'assistant', content: 'x', tool_calls: [call] }]), { code: 'invalid_request' });
  }
});

test('an object is what its toJSON gives, whatever else it holds', () => {
  const turn = { role: 'a', content: 'thank you', timestamp: null };
  const document = { toJSON: () => turn };
  document.itself = document;
  assert.equal(sensor.sense([document]).json(), sensor.sense([turn]).json());
  refused(() => sensor.sense([{ toJSON: () => ({ ...turn, timestamp: Infinity }) }]), { place: 'segments[0].timestamp', message: /not Infinity/ });
});

test('a freed sensor says so', () => {
  const gone = Sensor.fromSource(thanks);
  gone.free();
  gone.free();
  for (const use of [() => gone.sense('a'), () => gone.fidelity('a'), () => gone.compare('a', 'b'), () => gone.estimate(1), () => gone.batch(['a'])]) {
    refused(use, { code: 'invalid_request', message: /was freed/ });
  }
  assert.equal(gone.id, 'thanks', 'what it was can still be asked');
  assert.equal(gone[Symbol.dispose ?? Symbol.for('Symbol.dispose')], gone.free);
  // Freed while its outcomes are taken: that is an error of the caller, not of the second interaction.
  const half = Sensor.fromSource(thanks);
  const outcomes = half.each(['a', 'b']);
  assert.ok(outcomes.next().value.reading);
  half.free();
  refused(() => outcomes.next(), { message: /was freed/ });
});

test('ten thousand sensors that nobody frees', { timeout: 300_000 }, () => {
  for (let at = 0; at < 10_000; at += 1) Sensor.fromSource(thanks);
});

test('batch: what is wrong with one costs the others nothing', () => {
  const outcomes = sensor.batch(new Set(['thank you', { segments: [{ content: 'x' }] }, 7, 'a\ud800', 'no']));
  assert.deepEqual(outcomes.map(({ reading, error }) => reading?.score ?? error.place), [
    1,
    'interactions[1].segments[0].role',
    'interactions[2]',
    'interactions[3].content',
    0,
  ]);
  assert.ok(outcomes.every(Object.isFrozen));
  assert.equal(outcomes[0].reading.json(), sensor.sense('thank you').json());
  for (const wrong of ['thank you', 7, null, undefined, { length: 1 }]) refused(() => sensor.batch(wrong), { place: 'interactions' });
});

test('batch: what the list itself throws is thrown on', () => {
  let closed = false;
  function* failing() {
    try {
      yield 'thank you';
      throw new RangeError('mine');
    } finally {
      closed = true;
    }
  }
  assert.throws(() => sensor.batch(failing()), new RangeError('mine'));
  assert.ok(closed);
  closed = false;
  for (const { reading } of sensor.each(failing())) {
    assert.equal(reading.score, 1);
    break;
  }
  assert.ok(closed, 'who stops early closes the list');
  assert.equal(sensor.sense('thank you').score, 1);
});

test('each takes what is asked for and no more', () => {
  let taken = 0;
  function* endless() {
    for (;;) yield `thank you ${(taken += 1)}`;
  }
  const outcomes = sensor.each(endless());
  for (let at = 0; at < 3; at += 1) outcomes.next();
  assert.equal(taken, 3);
});

test('a text of 20 million characters, and one that is too long', { timeout: 300_000 }, () => {
  const words = 'nothing to see here, '.repeat(1_000_000);
  const reading = sensor.sense(`${words}thank you`);
  assert.equal(reading.evidence[0].start, words.length);
  refused(() => sensor.sense('a'.repeat((64 << 20) + 1)), { code: 'payload_too_large', place: 'content' });
  refused(() => sensor.sense('é'.repeat(33 << 20)), { code: 'payload_too_large', place: 'content' });
  assert.equal(sensor.sense('thank you').score, 1);
});

test('no stack left: the engine says so and starts anew, with the same bytes', () => {
  const before = sensor.sense('thank you').json();
  const errors = new Set();
  const dig = () => {
    try {
      dig();
    } catch {
      // Here hardly any stack is left.
    }
    try {
      sensor.sense('thank you').json();
    } catch (error) {
      errors.add(error instanceof SonometerError ? error.code : error.constructor.name);
    }
  };
  dig();
  assert.ok(errors.size > 0, 'it must have failed somewhere');
  assert.equal(sensor.sense('thank you').json(), before);
  assert.equal(Sensor.shipped('courtesy').id, 'courtesy');
});

test('the list of misuse, as in Chromium', { timeout: 300_000 }, async () => assert.deepEqual(await misuse(sonometer), expected));
