// A talk cut at its evidence: nothing masked is in it, and every place is right.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Interaction, Sensor, catalog } from 'sonometer';
import { highlight } from 'sonometer/highlight';
import * as talk from 'sonometer/talk';
import { refused } from './helpers.mjs';

const CARD = '4111 1111 1111 1111';
const written = (turns) => turns.map(({ role, parts }) => `${role ?? ''}|${parts.map(({ text }) => text).join('')}`);

test('the text is cut at its evidence', () => {
  const courtesy = Sensor.shipped('courtesy');
  const text = 'Good morning 🙂. Thank you so much for your help, could you wait?';
  const reading = courtesy.sense(text);
  const [turn, ...more] = highlight(text, reading, { effects: courtesy.effects, markers: courtesy.markers });
  assert.deepEqual(more, []);
  assert.equal(turn.parts.map((part) => part.text).join(''), text);
  for (const { metamarker, source } of reading.evidence) {
    const own = turn.parts.filter(({ marks }) => marks.some((mark) => mark.metamarker === metamarker && mark.kind === 'evidence'));
    assert.ok(own.map((part) => part.text).join('').includes(source), metamarker);
  }
  const unmarked = turn.parts.filter(({ marks }) => marks.length === 0).map((part) => part.text).join('');
  assert.ok(!unmarked.includes('Thank you'));
});

test('what a protocol masks is masked: evidence, near misses, and texts that hold too little', () => {
  const sensor = Sensor.shipped('personal-data');
  for (const text of [`My card is ${CARD}, thanks.`, CARD, `{"card": "${CARD}"}`, `4111 1111 1111 1112 and imke@example.org`]) {
    const reading = sensor.sense(text, { profile: 'discovery' });
    const shown = JSON.stringify(highlight(text, reading));
    assert.ok(!shown.includes('4111 1111') && !shown.includes('imke@'), shown);
    assert.equal(written(highlight(text, reading))[0], `|${sensor.shown(text)[0].text}`);
  }
  const own = Sensor.fromSource(`
sonometer: 1
id: tickets
version: "1.0"
taxonomy: Policy
score: any
fidelity: {words: 40}
markers:
  - label: ticket
    mask: all
    strong: ticket <number>
    hit: ticket 1234
    miss: a ticket
`);
  const few = 'ticket 1234';
  const reading = own.sense(few);
  assert.equal(reading.fidelity.sufficient, false);
  assert.deepEqual(written(highlight(few, reading)), ['|****** ****']);
});

test('masks of a reading are those it was asked with', () => {
  const sensor = Sensor.shipped('personal-data');
  const text = `Pay with ${CARD} or write to imke@example.org.`;
  const [turn] = highlight(text, sensor.sense(text, { mask: 'label' }));
  const labels = turn.parts.filter(({ masked }) => masked).map((part) => part.text);
  assert.deepEqual(labels, sensor.shown(text, { mask: 'label' })[0].masks.map((mask) => mask.shown));
  assert.ok(labels.length === 2 && labels.includes('<EMAIL_ADDRESS>'), labels.join());
  const [removed] = highlight(text, sensor.sense(text, { mask: 'remove' }));
  assert.equal(removed.parts.map((part) => part.text).join(''), 'Pay with  or write to .');
  assert.equal(removed.parts.filter(({ masked, marks }) => masked && marks.length > 0).length, 2, 'what is removed can still be marked');
});

test('turns are those of the engine, also of chats', () => {
  const sensor = Sensor.shipped('courtesy');
  const chat = [
    { role: 'user', content: [{ type: 'text', text: 'Hello there.' }, { type: 'image_url', image_url: { url: 'x' } }, { type: 'text', text: 'Where is it?' }] },
    { role: 'assistant', content: null, tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { type: 'function_call_output', call_id: '1', output: 'text' },
    { role: 'tool', tool_call_id: '1', content: 'text' },
    { role: 'assistant', content: 'Thank you so much for waiting.', refusal: 'I am sorry about that.' },
  ];
  const expected = ['user|Hello there.\nWhere is it?', 'assistant|Thank you so much for waiting.\nI am sorry about that.'];
  assert.deepEqual(written(highlight(chat, sensor.sense(chat))), expected);
  const text = JSON.stringify({ segments: [{ role: 'a', content: 'Thank you so much.' }] });
  assert.deepEqual(written(highlight(Interaction.parse(text), sensor.sense(Interaction.parse(text)))), ['a|Thank you so much.']);
  assert.deepEqual(written(highlight({ content: 'Thank you.' }, sensor.sense({ content: 'Thank you.' }))), ['|Thank you.']);
});

test('what cannot be sensed cannot be shown', () => {
  const sensor = Sensor.shipped('personal-data');
  const wrong = [
    {}, { contents: CARD }, [{ role: 'a', contents: CARD }], [null], [], [CARD], { segments: CARD }, { segments: null, content: CARD },
    [{ role: 'a', content: [null] }], [{ role: 'a', content: [{ type: 'sound' }] }],
  ];
  for (const input of wrong) {
    let error;
    try {
      sensor.sense(input);
    } catch (thrown) {
      error = thrown;
    }
    refused(() => sensor.shown(input), { code: 'invalid_request', place: error.place });
  }
  // What counts is the JSON form of an object.
  const own = { toJSON: () => [{ role: 'a', content: CARD }] };
  assert.equal(sensor.shown(own)[0].text, '**** **** **** 1111');
});

test('every protocol that ships, with every profile, on texts that its own tests hold', () => {
  let evidence = 0;
  for (const { id, version, source } of catalog()) {
    const sensor = Sensor.shipped(`${id}@${version}`);
    const lines = [...source.matchAll(/^ {4,}([A-Z"'¿¡][^\n]{20,300})$/gm)].map(([, line]) => line).slice(0, 60);
    const turns = lines.map((content, at) => ({ role: at % 2 === 0 ? 'agent' : 'customer', content }));
    for (const interaction of [...lines.slice(0, 20), ...(turns.length > 1 ? [turns] : [])]) {
      const reading = sensor.sense(interaction, { profile: 'discovery' });
      evidence += reading.evidence.length;
      const shown = sensor.shown(interaction);
      const cut = highlight(interaction, reading);
      assert.deepEqual(cut.map(({ parts }) => parts.map(({ text }) => text).join('')), shown.map(({ text }) => text));
      assert.deepEqual(highlight(shown, JSON.parse(reading.json())), cut, 'a reading that was stored');
    }
    sensor.free();
  }
  assert.ok(evidence > 500, `${evidence} pieces of evidence`);
});

test('the work grows with the parts, not with masks times places', () => {
  /** How often a place is looked at (compared, or calculated with) where so many masks hide as much evidence. */
  const looks = (count) => {
    let seen = 0;
    const place = (value) => ({ valueOf: () => ((seen += 1), value) });
    const at = (nth) => ({ start: place(10 * nth), end: place(10 * nth + 4) });
    const numbers = Array.from({ length: count }, (_, nth) => nth);
    const masks = numbers.map((nth) => ({ ...at(nth), shown: '****' }));
    const evidence = numbers.map((nth) => ({ ...at(nth), metamarker: 'a', segment: 0, source: '****', score: 1 }));
    const [{ parts }] = highlight([{ role: 'a', text: '**** word '.repeat(count), masks }], { resonance: { a: 1 }, evidence });
    assert.equal(parts.length, 2 * count);
    assert.ok(parts.every(({ masked, marks }) => marks.length === Number(masked)));
    return seen;
  };
  const [few, many] = [looks(500), looks(8000)];
  assert.ok(few > 0 && many <= 32 * few, `${few} and ${many} looks for 16 times as much`);
});

test('what does not belong together is refused, and its text is not shown', () => {
  const sensor = Sensor.shipped('courtesy');
  const reading = sensor.sense('Thank you so much for your help.');
  refused(() => highlight('A secret of somebody else, which is long enough.', reading), { code: 'invalid_request', place: 'reading', message: /not of this talk/ });
  refused(() => highlight('Thank you', reading), { place: 'reading' });
  refused(() => highlight('Thank you so much.', sensor.sense('Thank you so much.', { offsets: false })), { place: 'reading', message: /no places/ });
  const joined = { segment: 0, start: 0, end: 4, joined: [{ segment: 7, start: 0, end: 3 }], source: 'Than', metamarker: 'gratitude', score: 1 };
  refused(() => highlight('Thank you so much.', { ...reading, evidence: [joined], shown: (talk) => reading.shown(talk) }), { place: 'reading' });
  // A reading from elsewhere does not know what is masked.
  refused(() => highlight('Thank you.', JSON.parse(reading.json())), { place: 'talk', message: /sensor\.shown\(talk\)/ });
  refused(() => highlight('Thank you.', undefined), { place: 'reading', message: /not undefined/ });
  refused(() => highlight('Thank you.', reading, { colour: 1 }), { place: 'options.colour' });
  refused(() => highlight('Thank you so much for your help.', reading, { markers: 'tact' }), { place: 'options.markers', message: /a list .*not a string/ });
  refused(() => highlight('Thank you so much for your help.', reading, { effects: null }), { place: 'options.effects', message: /not null/ });
  sensor.free();
  refused(() => highlight('Thank you so much for your help.', reading), { message: /freed/ });
});

test('markers are told apart by hue or line, and poles by the side of the circle', () => {
  const sensor = Sensor.shipped('courtesy');
  const text = 'Good morning, thank you so much for calling. Could you please wait? I am so sorry. You idiot, shut up!';
  const marks = highlight(text, sensor.sense(text), { effects: sensor.effects, markers: sensor.markers }).flatMap(({ parts }) => parts.flatMap((part) => part.marks));
  const looks = new Map(marks.map(({ metamarker, hue, line }) => [metamarker, `${hue} ${line}`]));
  assert.ok(looks.size >= 4, [...looks].join(' '));
  assert.equal(new Set(looks.values()).size, looks.size);
  for (const { metamarker, effect, hue } of marks) {
    assert.equal(effect, sensor.effects[metamarker]);
    assert.equal(hue >= 130 && hue <= 280, effect === 'improves', `${metamarker} ${hue}`);
  }
});

test('the module of the element can be imported where there is no page', () => {
  assert.equal(talk.highlight.name, 'highlight');
  assert.equal(typeof talk.SonometerTalk, 'function');
});
