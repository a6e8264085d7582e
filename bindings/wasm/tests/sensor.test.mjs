// The nouns: what ships and what one writes, sensing, fidelity, comparing, estimating.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Comparison, Estimate, Interaction, Reading, Sensor, Stage, catalog, fingerprint } from 'sonometer';
import { refused, thanks } from './helpers.mjs';

const call = [
  { role: 'agent', content: 'Good morning, thank you for calling. How can I help?' },
  { role: 'customer', content: 'Hi. My router is dead again, and it is the third time I call about it.' },
];

test('what ships is listed and can be made', () => {
  const all = catalog();
  assert.ok(Object.isFrozen(all) && Object.isFrozen(all[0]));
  for (const { kind, id, version, name, source } of all) {
    using(Sensor.shipped(`${id}@${version}`), (sensor) => {
      assert.deepEqual([sensor.kind, sensor.id, sensor.version, sensor.name], [kind, id, version, name]);
      assert.ok(sensor.markers.length > 0);
    });
    using(Sensor.fromSource(source), (sensor) => assert.equal(sensor.id, id));
  }
  assert.deepEqual(new Set(all.map((entry) => entry.kind)), new Set(['protocol', 'metric', 'blueprint']));
  assert.match(fingerprint(), /^sonometer \S+; unicode /);
});

test('a draft is found by its version only, and what is missing is named', () => {
  refused(() => Sensor.shipped('next-steps'), { code: 'target_not_found', place: 'target', message: /^`next-steps` has no published version; ask for a draft by name, as `next-steps@0\.1`$/ });
  assert.equal(Sensor.shipped('next-steps@0.1').id, 'next-steps');
  // What is named are the versions and names that can be had, in the module or as files.
  refused(() => Sensor.shipped('courtesy@9'), { code: 'target_not_found', message: /there is 1\.0, 1\.5, 2\.0$/ });
  refused(() => Sensor.shipped('nothing'), { code: 'target_not_found', message: /there is abuse, .*courtesy, .*negotiation, .*refusal, reply-quality, .*service-call, uptake$/ });
});

test('what ships as a file is loaded by name', async () => {
  // Newer than what the module has room for.
  assert.equal(Sensor.shipped('personal-data').version, (await Sensor.load('personal-data')).version);
  assert.notEqual(Sensor.shipped('personal-data').version, '2.0');
  assert.equal(Sensor.shipped('personal-data@2.0').version, '2.0');
  const refusal = await Sensor.load('refusal');
  assert.equal(refusal.id, 'refusal');
  assert.notEqual(refusal.version, '1.0', 'the newest is meant');
  assert.ok(refusal.sense("I'm sorry, but I can't help with that.").score >= 0.5);
  assert.equal((await Sensor.load('uptake@1.0')).id, 'uptake');
  assert.equal((await Sensor.load('courtesy')).version, Sensor.shipped('courtesy').version);
  // Node reads files without waiting.
  assert.equal(Sensor.shipped('refusal').id, 'refusal');
  assert.equal(Sensor.shipped('affect@1.5').version, '1.5');
  const names = await Sensor.load('names-and-places');
  assert.ok(names.sense('Hello, I am Anna Miller from Dresden, and I would like to change my order, please.').ics.consumed >= 2);
  await assert.rejects(Sensor.load('refusal@9'), { code: 'target_not_found', place: 'target', message: /`refusal` has no version `9`; there is 1\.0/ });
  for (const name of ['refusal@', 'refusal@1.0@1.0', 'affect@1.5@']) refused(() => Sensor.shipped(name), { code: 'target_not_found' });
  // The engine does not know the names of files: of those in the module it would suggest `personal-data` for the second.
  for (const [wrong, right] of [['refusla', 'refusal'], ['personal-atack', 'personal-attack'], ['uptke@1.0', 'uptake'], ['negotiat', 'negotiation'], ['courtsey', 'courtesy']]) {
    const message = `the catalogue has no protocol, metric or blueprint \`${wrong.split('@')[0]}\`; did you mean \`${right}\`?`;
    await assert.rejects(Sensor.load(wrong), { code: 'target_not_found', place: 'target', message });
    assert.throws(() => Sensor.shipped(wrong), { code: 'target_not_found', place: 'target', message });
  }
  await assert.rejects(Sensor.load('reply-qualty'), { message: /; did you mean `reply-quality`\?$/ });
  await assert.rejects(Sensor.load('xyz'), { message: /`xyz`; there is abuse, .*refusal.*, uptake$/ });
  await assert.rejects(Sensor.load('constructor'), { code: 'target_not_found' });
  await assert.rejects(Sensor.load(7), { code: 'invalid_request' });
});

test('a protocol finds its list files among those given', () => {
  const source = { sonometer: 1, id: 'met', version: '1', taxonomy: 'Signal', list_files: { name: 'names/first.txt' }, markers: [{ label: 'met', strong: 'met @name' }] };
  const met = Sensor.fromSource(source, { files: { 'names/first.txt': 'Anna\nJohn Paul\n', 'other.txt': 'nobody' } });
  assert.deepEqual(met.sense('Yesterday I met John Paul there.').evidence.map(({ source }) => source), ['met John Paul']);
  refused(() => Sensor.fromSource(source), { code: 'invalid_protocol', message: /names\/first\.txt.*give its text in `options\.files`/s });
  refused(() => Sensor.fromSource(source, { files: ['Anna'] }), { code: 'invalid_request', place: 'options.files' });
  refused(() => Sensor.fromSource(source, { files: { 'names/first.txt': 7 } }), { place: "options.files['names/first.txt']", message: /a text is needed/ });
});

test('wrong names and constructors say what to write', () => {
  refused(() => Sensor.shipped('curtesy'), { code: 'target_not_found', place: 'target', message: /no protocol, metric or blueprint `curtesy`; did you mean `courtesy`\?$/ });
  refused(() => new Sensor('courtesy'), { code: 'invalid_request', message: /write `Sensor\.shipped\('courtesy'\)` for what ships, or `Sensor\.fromSource\(source\)`/ });
  refused(() => Stage.shipped('billing-disput'), { code: 'target_not_found', place: 'stage', message: /did you mean `billing-dispute`\?$/ });
  refused(() => Sensor.fromSource('courtesy'), { code: 'invalid_request', place: 'source', message: /write `Sensor\.shipped\('courtesy'\)`/ });
  refused(() => Stage.fromSource('drinking-less'), { place: 'source', message: /write `Stage\.shipped\('drinking-less'\)`/ });
  refused(() => Sensor.fromSource('own/guarantees.yaml'), { place: 'source', message: /in Node `readFileSync\('own\/guarantees\.yaml', 'utf8'\)`/ });
  refused(() => new Sensor({ id: 'own' }), { message: /write `Sensor\.shipped\(name\)`/ });
  // A word as long as a text is quoted in part.
  for (const long of [() => Sensor.fromSource('x'.repeat(1e6)), () => new Sensor('x'.repeat(1e6)), () => Sensor.shipped('x'.repeat(1e6))]) {
    assert.ok(refused(long, { name: 'SonometerError' }).message.length < 1000);
  }
  refused(() => new Stage('drinking-less@1.0'), { message: /write `Stage\.shipped\('drinking-less@1\.0'\)`/ });
});

test('the former names do the same', () => {
  assert.equal(Sensor.from(thanks).sense('thank you').json(), Sensor.fromSource(thanks).sense('thank you').json());
  const { source, digest } = Stage.shipped('drinking-less');
  assert.equal(Stage.from(source).digest, digest);
});

test('facts of a sensor', () => {
  assert.throws(() => {
    Sensor.shipped('courtesy').id = 'other';
  }, TypeError);

  const sensor = Sensor.shipped('courtesy@1.5');
  assert.equal(sensor.kind, 'protocol');
  assert.equal(sensor.language, 'en');
  assert.equal(sensor.better, 'higher');
  assert.ok(sensor.markers.includes('gratitude'));
  assert.ok(sensor.modalities.includes('text') && sensor.modalities.includes('transcript'));
  assert.deepEqual(sensor.warnings, []);
  assert.equal(Sensor.fromSource(thanks).language, undefined);
});

test('what a score means, and which markers are good news', () => {
  const privacy = Sensor.shipped('personal-data@1.0');
  assert.equal(privacy.scoreMeaning, 'score 1 = no risk found, 0 = a critical risk found; higher is better');
  assert.deepEqual(Object.keys(privacy.effects).sort(), [...privacy.markers].sort());
  assert.deepEqual(new Set(Object.values(privacy.effects)), new Set(['worsens']));
  const [gratitude] = thanks.markers;
  const lower = Sensor.fromSource({ ...thanks, better: 'lower', markers: [{ ...gratitude, pole: 'for' }, { label: '__proto__', pole: 'against', strong: 'no', hit: 'no' }] });
  assert.deepEqual(Object.entries(lower.effects), [[gratitude.label, 'worsens'], ['__proto__', 'improves']]);
  assert.match(Sensor.shipped('reply-quality').scoreMeaning, /^score = the weighted mean of courtesy, .*; higher is better$/);
});

test('a reading is the canonical JSON and the same as frozen objects', () => {
  const sensor = Sensor.shipped('courtesy@1.5');
  const reading = sensor.sense(call);
  assert.ok(reading instanceof Reading);
  assert.deepEqual({ ...reading }, JSON.parse(reading.json()));
  assert.deepEqual(Object.keys(reading), ['target', 'score', 'resonance', 'evidence', 'fidelity', 'signal', 'ics']);
  assert.ok(!('signal' in Sensor.shipped('courtesy@1.0').sense(call)), 'SGM 1.0 has none');
  for (const part of [reading, reading.resonance, reading.evidence, reading.evidence[0], reading.ics]) {
    assert.ok(Object.isFrozen(part));
  }
  assert.throws(() => {
    reading.score = 1;
  }, TypeError);
  for (const { segment, start, end, source } of reading.evidence) {
    assert.equal(call[segment].content.slice(start, end), source);
  }
  assert.equal(reading.json(), sensor.sense({ segments: call }).json());
  assert.equal(reading.json(), sensor.sense(Interaction.parse(JSON.stringify({ segments: call }))).json());
  // It can be sent to a worker: its members are copied.
  assert.deepEqual({ ...structuredClone(reading) }, { ...reading });
});

test('profiles, offsets, price', () => {
  const sensor = Sensor.shipped('courtesy@1.5');
  const shown = sensor.sense(call, { profile: 'detailed', offsets: false, usdPerIcs: 0.01 });
  assert.equal(shown.profile, 'detailed');
  assert.equal(shown.evidence[0].start, undefined);
  assert.equal(shown.evidence[0].reconstruction.attribution, 'agent');
  assert.equal(shown.ics.cost_usd, shown.ics.consumed / 100);
  assert.ok(Array.isArray(sensor.sense(call, { profile: 'discovery' }).weak_signals));
});

test('flow and temporal analysis of SGM 1.5', () => {
  const sensor = Sensor.fromSource({ ...thanks, sgm: '1.5' });
  const reading = sensor.sense(call, { flow: { primary: 'agent' }, temporal: { window: 60 } });
  assert.deepEqual(reading.actant_flow.primary_driven, ['gratitude']);
  assert.equal(reading.temporal.trend, 'insufficient');
  assert.equal(reading.evidence[0].actant, 'agent');
  assert.equal(sensor.sense(call).actant_flow, undefined);
  refused(() => Sensor.fromSource(thanks).sense(call, { flow: true }), { code: 'invalid_request', place: 'options.flow' });
  refused(() => sensor.sense(call, { temporal: { window: 0 } }), { place: 'options.temporal.window' });
  refused(() => sensor.sense(call, { flow: { primary: ' ' } }), { place: 'options.flow.primary' });
  refused(() => Sensor.fromSource(thanks).session({ temporal: true }), { place: 'options.temporal' });
});

test('content that is insufficient gives a reading that says so', () => {
  const sensor = Sensor.shipped('courtesy@1.5');
  const reading = sensor.sense('Das ist leider ein deutscher Satz und kein englischer.');
  assert.equal(reading.fidelity.sufficient, false);
  assert.equal(reading.score, null);
  const fidelity = sensor.fidelity('Das ist leider ein deutscher Satz und kein englischer.');
  assert.equal(fidelity.index, reading.fidelity.index);
  assert.deepEqual(Object.keys(fidelity), ['index', 'sufficient', 'density', 'clarity']);
  assert.ok(Object.isFrozen(fidelity));
  assert.ok(sensor.fidelity(call).sufficient);
});

test('comparing', () => {
  const sensor = Sensor.shipped('reply-quality');
  const kind = { content: 'Thank you so much for your patience. Could you please tell me which version you use?', label: 'after' };
  const rude = 'Hurry, only 2 left, act now! What the hell is your problem, are you even reading this?';
  const comparison = sensor.compare(rude, kind);
  assert.ok(comparison instanceof Comparison && Object.isFrozen(comparison.delta));
  assert.equal(comparison.delta.direction, 'improvement');
  assert.deepEqual([comparison.interaction_a.label, comparison.interaction_b.label], ['a', 'after']);
  assert.deepEqual({ ...comparison }, JSON.parse(comparison.json()));
  refused(() => sensor.compare(rude, ''), { code: 'insufficient_signal', place: 'interaction_b' });
  refused(() => sensor.compare(7, rude), { code: 'invalid_request', place: 'interaction_a' });
});

test('what is wrong with one of two is placed in it', () => {
  const courtesy = Sensor.shipped('courtesy');
  const fine = 'Thank you so much for your patience.';
  for (const [wrong, place] of [
    [[{ role: 'agent', contents: 'x' }], '.segments[0].contents'], [{ contents: 'x' }, '.contents'], [{}, ''], [[], '.segments'], ['a\ud800', '.content'],
  ]) {
    refused(() => courtesy.compare(wrong, fine), { code: 'invalid_request', place: `interaction_a${place}` });
    refused(() => courtesy.compare(fine, wrong), { code: 'invalid_request', place: `interaction_b${place}` });
  }
  refused(() => courtesy.compare(fine, fine, { usdPerIcs: -1 }), { place: 'options.usdPerIcs' });
});

test('metrics and blueprints', () => {
  const reading = Sensor.shipped('service-call').sense(call, { profile: 'detailed' });
  assert.equal(reading.target.type, 'blueprint');
  assert.ok(reading.protocols.length > 0);
  const metric = { sonometer_metric: 1, id: 'mine', version: '1.0', components: [{ protocol: 'thanks@1.0' }, { protocol: 'courtesy' }] };
  const own = Sensor.fromSource(metric, { shelf: [thanks] });
  assert.equal(own.kind, 'metric');
  assert.ok(own.markers.includes('thanks/gratitude') && own.markers.includes('courtesy/gratitude'));
  assert.ok(own.sense(call).score > 0);
  refused(() => Sensor.fromSource(metric, { shelf: [thanks], shipped: false }), { code: 'target_not_found', place: 'components[1].protocol' });
  refused(() => Sensor.fromSource(metric, { shelf: ['sonometer: 1'] }), { code: 'invalid_protocol', place: /^shelf\[0\]/ });
});

test('estimating', () => {
  const estimate = Sensor.shipped('courtesy@1.0').estimate(2000, { modality: 'transcript', usdPerIcs: 0.5 });
  assert.ok(estimate instanceof Estimate && estimate.measured);
  assert.ok(estimate.estimated_ics.typical <= estimate.estimated_ics.max);
  assert.equal(estimate.estimated_cost_usd.max, estimate.estimated_ics.max / 2);
  const { measured, ...told } = estimate;
  assert.deepEqual(told, JSON.parse(estimate.json()));
  assert.equal(Sensor.fromSource(thanks).estimate(10).measured, false);
  for (const characters of [-1, 0.5, NaN, '10', 2 ** 60]) {
    refused(() => Sensor.fromSource(thanks).estimate(characters), { code: 'invalid_request', place: 'characters' });
  }
  refused(() => Sensor.fromSource(thanks).estimate(1, { modality: 'smell' }), { place: 'options.modality', message: /text, transcript/ });
});

test('a protocol with mistakes says where and how to mend them', () => {
  const source = '# 😀\nsonometer: 1\nid: a\nversion: "1"\ntaxonomy: Signal\nmarkers:\n  - lable: x\n';
  const error = refused(() => Sensor.fromSource(source), { code: 'invalid_protocol', place: /^line 7, column/ });
  const [first] = error.details.findings.filter(({ severity }) => severity === 'error');
  assert.match(first.code, /^SM\d{4}$/);
  assert.ok(first.fix.length > 0);
  assert.ok(error.details.findings.some(({ start, end }) => source.slice(start, end) === 'lable'), JSON.stringify(error.details));
});

function using(sensor, work) {
  try {
    work(sensor);
  } finally {
    sensor.free();
  }
}

test('masks are of the kind that a call asks for', () => {
  const privacy = Sensor.shipped('personal-data@1.0');
  const text = 'Write to ann@example.com or bob@example.com, not to Ann@Example.com, and thank you for all of it.';
  const sources = (options) => [...privacy.sense(text, options).evidence].map(({ source }) => source);
  assert.deepEqual(sources({ mask: 'numbered' }), ['<EMAIL_ADDRESS_1>', '<EMAIL_ADDRESS_2>', '<EMAIL_ADDRESS_1>']);
  const maskKey = new TextEncoder().encode("a key of the caller's own");
  assert.equal(sources({ mask: 'keyed', maskKey })[0], '<EMAIL_ADDRESS_fce01866fcfa>');
  for (const [options, place] of [
    [{ mask: 'labels' }, 'options.mask'],
    [{ mask: 7 }, 'options.mask'],
    [{ mask: 'keyed' }, 'options.maskKey'],
    [{ mask: 'keyed', maskKey: new Uint8Array(3) }, 'options.maskKey'],
    [{ maskKey: 'a text that is long enough' }, 'options.maskKey'],
  ]) {
    const isRefused = (error) => error.code === 'invalid_request' && error.place === place;
    assert.throws(() => privacy.sense(text, options), isRefused);
    assert.throws(() => [...privacy.each([text], options)].map(({ error }) => { throw error; }), isRefused);
    assert.throws(() => privacy.session(options).push(text), isRefused);
  }
});
