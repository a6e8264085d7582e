// Chats of every form: what Rust and Python make of them, JavaScript makes too.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { Sensor } from 'sonometer';
import { SonometerError, fromMessages } from 'sonometer/chats';

const forms = JSON.parse(readFileSync(join(process.env.SONOMETER_ROOT, 'fixtures/chat/forms.json'), 'utf8'));
const installed = join(import.meta.dirname, 'node_modules/sonometer');

/** JavaScript writes no spaces into JSON; the fixtures show values that are no texts as they stand there. */
const close = (text) => text.replaceAll('": ', '":').replaceAll(', "', ',"');

for (const { name, json, named, form, turns, apart, notices, error, message } of forms) {
  test(name, async () => {
    for (const messages of [json, JSON.stringify(json), JSON.stringify(json, undefined, 2)]) {
      const reading = fromMessages(messages, named === undefined ? {} : { form: named });
      if (error !== undefined) {
        await assert.rejects(reading, { name: 'SonometerError', code: 'invalid_request', place: error, message });
        continue;
      }
      const read = await reading;
      assert.equal(read.form, form);
      const told = read.interaction.segments.map(({ role, content, timestamp }, at) =>
        timestamp === undefined ? [role, content, read.places[at]] : [role, content, read.places[at], timestamp],
      );
      assert.deepEqual(told, turns);
      if (messages !== JSON.stringify(json, undefined, 2)) {
        assert.deepEqual(
          read.apart.map((one) => [one.kind, one.name, close(one.text), one.place]),
          apart.map(([kind, own, text, place]) => [kind, own, close(text), place]),
        );
      }
      assert.deepEqual(read.notices, notices);
      assert.ok(Object.isFrozen(read) && Object.isFrozen(read.interaction.segments[0]));
    }
  });
}

test('every form is read, and some have notices', () => {
  const read = new Set(forms.map(({ form }) => form).filter((form) => form !== undefined));
  assert.deepEqual([...read].sort(), [
    'ai-sdk', 'assistants', 'batch', 'bedrock', 'chosen', 'contact-lens', 'gemini', 'langchain', 'openai', 'rejected', 'sharegpt', 'twilio', 'vcon',
  ]);
  assert.ok(forms.some(({ notices }) => notices?.length > 0));
});

test('what is read can be sensed', async () => {
  const { interaction } = await fromMessages({ conversations: [{ from: 'human', value: 'Hi!' }, { from: 'gpt', value: 'Thank you so much for calling.' }] });
  const reading = Sensor.shipped('courtesy').sense(interaction);
  assert.equal(reading.evidence.find(({ metamarker }) => metamarker === 'gratitude').segment, 1);
});

test('what cannot be read is refused with its place', async () => {
  const circle = {};
  circle.messages = circle;
  for (const [messages, options, place, words] of [
    [7, {}, 'messages', /not a number/],
    [null, {}, 'messages', /not null/],
    [Buffer.from('[]'), {}, 'messages', /not bytes/],
    [circle, {}, 'messages', /cannot be written as JSON/],
    [[{ role: 'user', content: '\ud800' }], {}, /content/, /half of a surrogate pair/],
    ['{', {}, /^line 1, column/, /./],
    [[], { form: 'opanai' }, 'form', /did you mean `openai`/],
    [[], { form: 7 }, 'options.form', /not a number/],
    [[], { from: 'openai' }, 'options.from', /form/],
    ['[['.repeat(500), {}, /./, /./],
  ]) {
    await assert.rejects(fromMessages(messages, options), (error) => {
      assert.ok(error instanceof SonometerError, String(error));
      assert.equal(error.code, 'invalid_request');
      assert.match(error.place, place instanceof RegExp ? place : new RegExp(`^${place}$`));
      assert.match(error.message, words);
      return true;
    });
  }
});

test('the module is small, and the engine has none of it', () => {
  const packed = brotliCompressSync(readFileSync(join(installed, 'chats.wasm'))).length + brotliCompressSync(readFileSync(join(installed, 'chats.js'))).length;
  console.log(`chats: ${statSync(join(installed, 'chats.wasm')).size} bytes; with the script ${packed} by brotli`);
  assert.ok(packed <= 60_000, `${packed} bytes`);
  assert.ok(!readFileSync(join(installed, 'web.js'), 'utf8').includes('chats.wasm'));
});
