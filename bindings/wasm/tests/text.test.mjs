// Characters: UTF-16 places, halves of pairs, byte order marks, and everything else that a text may hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Interaction, Sensor } from 'sonometer';
import { refused, thanks } from './helpers.mjs';

const sensor = Sensor.fromSource(thanks);

test('places are those of slice', () => {
  for (const before of ['', '😀 ', '👩‍👩‍👧 ', 'é ', 'e\u0301 ', '\u0000 ', '中文 ', '\u2028', '\ufeff', '\ufeff\ufeff ', '𝒳𝒳 ', '\r\n']) {
    const text = `${before}Thank you, 😀`;
    const [found, ...more] = sensor.sense(text).evidence;
    assert.equal(more.length, 0);
    assert.equal(text.slice(found.start, found.end), 'Thank you', JSON.stringify(before));
    assert.equal(found.start, before.length);
    const inSegment = sensor.sense([{ role: 'a', content: '-' }, { role: 'b', content: text }]).evidence[0];
    assert.deepEqual([inSegment.segment, inSegment.start, inSegment.end], [1, found.start, found.end]);
    const bytes = sensor.sense(text, { offsets: 'bytes' }).evidence[0];
    assert.equal(bytes.start, Buffer.byteLength(before));
    const chars = sensor.sense(text, { offsets: 'chars' }).evidence[0];
    assert.equal(chars.start, [...before].length);
  }
});

test('a byte order mark is a character of the text, also of its evidence', () => {
  const text = '\ufeffThank\ufeff you';
  const [found] = sensor.sense(text).evidence;
  assert.equal(found.source, text.slice(found.start, found.end));
  assert.ok(found.source.includes('\ufeff'));
  assert.equal(found.end, text.length);
});

test('half of a surrogate pair is refused, wherever it stands', () => {
  for (const [input, place] of [
    ['ab\ud83d', 'content'],
    ['\ude00ab', 'content'],
    [{ content: 'a\ud800' }, 'content'],
    [[{ role: 'a', content: 'fine 😀' }, { role: 'b', content: '\udc00' }], 'segments[1].content'],
    [[{ role: '\ud800', content: 'x' }], 'segments[0].role'],
  ]) {
    const error = refused(() => sensor.sense(input), { code: 'invalid_request', place, message: /half of a surrogate pair/ });
    assert.equal(typeof error.details.offset, 'number');
  }
  refused(() => sensor.compare('thank you', 'x\ud800'), { place: 'interaction_b.content' });
  refused(() => Sensor.fromSource('id: "\ud800"'), { place: 'source' });
  refused(() => Sensor.fromSource({ ...thanks, id: '\ud800' }), { code: 'invalid_protocol' });
  refused(() => Interaction.parse('{"content": "\ud800"}'), { place: 'json' });
  refused(() => Interaction.parse('{"content": "\\ud800"}'), { place: 'line 1, column 14' });
  // What looks like one is none.
  assert.equal(sensor.sense({ content: 'a\\ud800 thank you' }).score, 1);
  assert.equal(sensor.sense('cut 😀'.slice(0, 4).toWellFormed?.() ?? 'cut ').score, 0);
});

test('text comes back as it went in', () => {
  let state = 7;
  const random = (most) => (state = (state * 48271) % 2147483647) % most;
  const pools = [[0x20, 0x7e], [0x00, 0x1f], [0xa0, 0x2ff], [0x300, 0x36f], [0x4e00, 0x4fff], [0x1f300, 0x1faff], [0x2000, 0x206f], [0xfff0, 0xffff], [0xe0000, 0xe007f]];
  for (let round = 0; round < 500; round += 1) {
    let noise = '';
    for (let length = random(20); length > 0; length -= 1) {
      const [from, to] = pools[random(pools.length)];
      noise += String.fromCodePoint(from + random(to - from + 1));
    }
    const text = `${noise}. Thank you. ${noise}`;
    for (const { source, start, end } of sensor.sense(text).evidence) assert.equal(text.slice(start, end), source, JSON.stringify(text));
    const shown = sensor.sense(text, { profile: 'detailed' }).evidence[0]?.reconstruction.segment_text;
    if (shown !== undefined) assert.equal(shown, text);
  }
});

test('a marker called like a number keeps its place in the canonical JSON', () => {
  const markers = ['b', '10', '2', '__proto__'].map((label) => ({ label, strong: 'thank you', hit: 'thank you' }));
  const reading = Sensor.fromSource({ ...thanks, markers }).sense('thank you');
  assert.match(reading.json(), /"resonance":\{"b":1,"10":1,"2":1,"__proto__":1\}/);
  assert.equal(reading.resonance['10'], 1);
  assert.equal(Object.getOwnPropertyDescriptor(reading.resonance, '__proto__').value, 1);
});
