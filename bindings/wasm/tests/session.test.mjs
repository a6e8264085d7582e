// Sessions and guards: the same bytes at the end, nothing told too early, nothing shown that must not be.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Guard, Sensor, Session } from 'sonometer';
import { refused, thanks } from './helpers.mjs';

const courtesy = Sensor.shipped('courtesy@1.5');
const privacy = Sensor.shipped('personal-data');
const CARD = '4111 1111 1111 1111';
const text = `Thank you so much 😀 for waiting. The card is ${CARD}, and my mail is imke@example.org. Could you please check it? Sure 👩‍👩‍👧!`;
const talk = [
  { role: 'agent', content: 'Good morning, thank you for calling. How can I help? 🙂', timestamp: 0 },
  { role: 'customer', content: 'Hi. My router is dead again. This is the third time!', timestamp: 7.5 },
];

/** A text in pieces of so many UTF-16 units, which also cut pairs in two. */
const pieces = (whole, size) => whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

test('the same bytes, however the text was cut', () => {
  for (const sensor of [courtesy, privacy, Sensor.shipped('service-call'), Sensor.shipped('reply-quality')]) {
    const readable = sensor.modalities.includes('text');
    if (!readable) continue;
    for (const size of [1, 2, 3, 7, 1000]) {
      const session = sensor.session({ profile: 'detailed' });
      for (const piece of pieces(text, size)) session.push(piece);
      assert.equal(session.soFar().json(), sensor.sense(text, { profile: 'detailed' }).json(), `${sensor.id} ${size}`);
      session.end();
      assert.equal(session.finish().json(), sensor.sense(text, { profile: 'detailed' }).json());
    }
    const session = sensor.session();
    for (const byte of Buffer.from(text)) session.push(Uint8Array.of(byte));
    assert.equal(session.finish().json(), sensor.sense(text).json());
  }
});

test('the same bytes, segment by segment', () => {
  const whole = courtesy.session();
  for (const turn of talk) whole.pushSegment(turn);
  assert.equal(whole.finish().json(), courtesy.sense(talk).json());
  const bits = courtesy.session();
  for (const { role, content, timestamp } of talk) {
    bits.beginSegment(role, { timestamp });
    for (const piece of pieces(content, 3)) bits.push(piece);
  }
  assert.equal(bits.finish().json(), courtesy.sense(talk).json());
});

test('steps are frozen, count in UTF-16, and what they tell is what the reading has', () => {
  const session = courtesy.session();
  const told = [];
  let settled = 0;
  for (const piece of pieces(text, 1)) {
    const step = session.push(piece);
    assert.ok(Object.isFrozen(step) && Object.isFrozen(step.events));
    assert.equal(step.settled_to, session.settledTo);
    assert.equal(step.released_to, session.releasedTo);
    assert.deepEqual(step.released_to, step.settled_to, 'without `release`');
    assert.ok(step.settled_to.offset >= settled, 'it never goes back');
    settled = step.settled_to.offset;
    told.push(...step.events);
  }
  assert.ok(settled > 0 && settled < text.length);
  told.push(...session.end().events);
  assert.deepEqual(session.settledTo, { segment: 0, offset: text.length });
  const evidence = told.filter(({ event }) => event === 'evidence');
  const found = session.finish().evidence;
  assert.ok(found.length > 1);
  // Events tell who said it by the segment.
  // Evidence of a marker that cannot be certain before the end comes last, so the order is that of settling.
  const byPlace = (one, other) => one.start - other.start || one.end - other.end || one.metamarker.localeCompare(other.metamarker);
  const all = evidence.map(({ event, segment, ...rest }) => rest).sort(byPlace);
  assert.deepEqual(all, found.map(({ actant, ...rest }) => rest).sort(byPlace));
  for (const { source, start, end } of evidence) assert.equal(text.slice(start, end), source);
});

test('readings without places, steps with them', () => {
  const session = courtesy.session({ offsets: false });
  session.push(text);
  assert.equal(session.end().settled_to.offset, text.length);
  assert.equal(session.finish().json(), courtesy.sense(text, { offsets: false }).json());
});

test('what cannot be', () => {
  const session = courtesy.session();
  refused(() => new Session(), { code: 'invalid_request' });
  refused(() => new Guard(), { code: 'invalid_request' });
  refused(() => session.push(7), { place: 'chunk' });
  refused(() => session.push('\ude00'), { place: 'chunk', message: /half of a surrogate pair/ });
  refused(() => session.push('\ud800x'), { place: 'chunk' });
  refused(() => session.push(Uint8Array.of(0xff)), { code: 'invalid_request', message: /UTF-8/ });
  session.push('Thank you \ud83d');
  refused(() => session.finish(), { place: 'chunk', message: /half/ });
  refused(() => session.push(Uint8Array.of(65)), { place: 'chunk' });
  session.push('\ude00!');
  refused(() => session.beginSegment('agent'), { code: 'invalid_request' });
  refused(() => courtesy.session({ unit: 'bytes' }), { place: 'options.unit' });
  refused(() => courtesy.session({ release: 1 }), { place: 'options.release' });
  assert.equal(session.finish().json(), courtesy.sense('Thank you 😀!').json());
  for (const use of [() => session.push('a'), () => session.finish(), () => session.soFar(), () => session.end()]) refused(use, { message: /is over/ });
  session.free();
  const talking = courtesy.session();
  refused(() => talking.beginSegment(''), { code: 'invalid_request' });
  refused(() => talking.beginSegment('a', { time: 1 }), { place: 'options.time' });
  refused(() => talking.pushSegment({ role: 'a', content: 'b', said: 'c' }), { place: 'segment.said' });
  refused(() => talking.pushSegment({ role: 'a', content: 'b', timestamp: '1' }), { place: 'segment.timestamp' });
  talking.beginSegment('a', { timestamp: 1 });
  talking.push('hello');
  assert.equal(talking.finish().evidence.length >= 0, true);
});

test('bytes that were moved away are refused, and nothing is lost', async () => {
  const bytes = new TextEncoder().encode('Thank you!');
  structuredClone(bytes, { transfer: [bytes.buffer] });
  const session = courtesy.session();
  session.push('Thank ');
  refused(() => session.push(bytes), { code: 'invalid_request', place: 'chunk', message: /moved away/ });
  session.push('you!');
  assert.equal(session.finish().json(), courtesy.sense('Thank you!').json());
  // In a guard they do not pass for an empty chunk.
  await assert.rejects(through(privacy.guard(), [bytes]), { name: 'SonometerError', place: 'chunk' });
});

test('a guard that is cancelled says so', async () => {
  const own = privacy.guard();
  await own.readable.cancel();
  await assert.rejects(own.reading, { name: 'SonometerError', message: /cancelled/ });
  const told = privacy.guard();
  await told.readable.cancel('enough');
  await assert.rejects(told.reading, (reason) => reason === 'enough');
});

test('a session goes with the engine, and says so', () => {
  const sensor = Sensor.fromSource(thanks);
  const session = sensor.session();
  session.push('thank you');
  const dig = () => {
    try {
      dig();
    } catch {
      // Hardly any stack is left.
    }
    try {
      sensor.sense('thank you');
    } catch {
      // It failed, as it was meant to.
    }
  };
  dig();
  refused(() => session.push('a'), { code: 'internal_error', message: /begin another/ });
  session.free();
  assert.equal(sensor.session().finish().score, 0);
});

async function through(guard, chunks) {
  const passed = [];
  for await (const part of ReadableStream.from(chunks).pipeThrough(guard)) passed.push(part);
  return passed;
}

test('a guard shows all of the text but what is private, whatever way it is cut', async () => {
  const masked = privacy.session({ release: true });
  const shown = [...(masked.push(text).released ?? []), ...(masked.end().released ?? [])].map(({ text }) => text).join('');
  assert.equal(shown.length, text.length);
  assert.ok(!shown.includes('4111 1111 1111'));
  for (const size of [1, 2, 5, 16, 1000]) {
    const guard = privacy.guard();
    const passed = await through(guard, pieces(text, size));
    assert.equal(passed.join(''), shown, `${size}`);
    assert.equal((await guard.reading).json(), privacy.sense(text).json());
    for (const part of passed) assert.ok(!/\d{4} \d{4} \d{4}/.test(part));
  }
  const encoded = new TextEncoder().encode(text);
  const bytes = Array.from({ length: Math.ceil(encoded.length / 3) }, (_, at) => encoded.subarray(3 * at, 3 * at + 3));
  assert.equal((await through(privacy.guard(), bytes)).join(''), shown);
});

test('empty chunks are skipped', async () => {
  const steps = [];
  const guard = privacy.guard({ onStep: (step) => steps.push(step) });
  const deltas = [null, '', ...pieces(text, 5), undefined, new Uint8Array(), '', null];
  const shown = (await through(privacy.guard(), [text])).join('');
  assert.equal((await through(guard, deltas)).join(''), shown);
  assert.equal(steps.length, pieces(text, 5).length + 1);
  assert.equal((await guard.reading).json(), privacy.sense(text).json());
  const session = courtesy.session();
  for (const turn of talk) {
    session.pushSegment(turn);
    for (const nothing of [null, undefined]) assert.deepEqual(session.push(nothing).events, []);
    assert.deepEqual(session.push(null).settled_to, session.settledTo);
  }
  assert.equal(session.finish().json(), courtesy.sense(talk).json());
});

test('messages of chat interfaces are turns', () => {
  const cases = JSON.parse(readFileSync(join(process.env.SONOMETER_ROOT, 'fixtures/chat/messages.json'), 'utf8'));
  assert.ok(cases.length > 10);
  for (const { name, messages, turns, error, message } of cases) {
    if (error !== undefined) {
      assert.equal(refused(() => courtesy.sense(messages), { place: `segments${error}` }).message, message, name);
      continue;
    }
    const wanted = courtesy.sense({ segments: turns.map(([role, content]) => ({ role, content })) }, { profile: 'detailed' });
    assert.equal(courtesy.sense(messages, { profile: 'detailed' }).json(), wanted.json(), name);
    const session = courtesy.session({ profile: 'detailed' });
    for (const each of messages) session.pushSegment(each);
    assert.deepEqual(session.settledTo, { segment: turns.length, offset: 0 }, name);
    assert.equal(session.finish().json(), wanted.json(), name);
  }
});

test('a guard lets text pass before the end', async () => {
  const guard = privacy.guard();
  const writer = guard.writable.getWriter();
  const reader = guard.readable.getReader();
  writer.write('That is one sentence. And this is ');
  assert.deepEqual(await reader.read(), { value: 'That is one sentence. And ', done: false });
  writer.write('another');
  writer.close();
  // `this is` was held for the name that could follow.
  // The space still is: a mark of Markdown could have followed it, with private data behind.
  assert.deepEqual(await reader.read(), { value: 'this is', done: false });
  assert.deepEqual(await reader.read(), { value: ' another', done: false });
  assert.equal((await reader.read()).done, true);
});

test('what goes wrong in a guard ends the stream, and nothing more passes', async () => {
  const mine = new RangeError('mine');
  const stopping = privacy.guard({
    onStep({ events }) {
      if (events.some(({ event }) => event === 'evidence')) throw mine;
    },
  });
  await assert.rejects(through(stopping, ['All is well. ', `It is ${CARD}. `, 'More. ']), mine);
  await assert.rejects(stopping.reading, mine);
  const wrong = privacy.guard();
  await assert.rejects(through(wrong, ['All is well. ', 7]), { name: 'SonometerError', place: 'chunk' });
  const cut = privacy.guard();
  await assert.rejects(through(cut, ['half \ud83d']), { name: 'SonometerError', message: /half/ });
  refused(() => privacy.guard({ onStep: 7 }), { place: 'options.onStep' });
  refused(() => privacy.guard({ onstep() {} }), { place: 'options.onstep' });
});

test('the example', () => {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, 'examples/guard.mjs')], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /\*\*\*\* \*\*\*\* \*\*\*\* 1111/);
  assert.ok(!run.stdout.includes(CARD) && !run.stdout.includes('imke@example.org'));
  assert.match(run.stdout, /Otherwise just send me another one\.\nscore /);
});
