// Stages, dives and cards: what they tell, and wrong input of every kind.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import * as sonometer from 'sonometer';
import { Dive, DiveStep, Observation, SonometerError, Stage, StageCard, readLog, signCard, stages, verifyCard } from 'sonometer';
import * as former from 'sonometer/dives';
import { PUBLIC, SECRET, dived } from './dived.mjs';
import { refused, thanks } from './helpers.mjs';

/** A small world of its own. */
const door = {
  sonometer_stage: 1,
  id: 'door',
  version: '1.0',
  protocol: 'thanks@1.0',
  objective: 'Get through the door, politely.',
  envelope: { max_turns: 3, max_action_chars: 40 },
  lists: { weather: ['rain', 'snow'] },
  start: 'hall',
  scenes: {
    hall: { world: 'A porter, out of the {weather}.', do: [{ when: 'fired(gratitude)', go: 'through', world: 'He smiles.' }, { otherwise: 'stay', world: 'He waits.' }] },
    through: { end: true },
  },
  checkpoints: { '2nd': 'turn >= 2', inside: 'reached(through)', 1: 'turn >= 1' },
  flags: { slow: { when: 'turn > 2' } },
};
const shelf = [thanks];
const stage = Stage.fromSource(door, { shelf });
/** A dive that passed, with its card. */
function passed() {
  const dive = stage.open(1);
  dive.act('Good evening.');
  dive.act('thank you');
  return { dive, card: dive.close({ diveId: 'd' }) };
}

test('a stage tells what it is', () => {
  assert.deepEqual([stage.id, stage.name, stage.version, stage.status, stage.description], ['door', 'door', '1.0', 'draft', '']);
  assert.equal(stage.objective, door.objective);
  assert.deepEqual(stage.rules, { checkpoints: ['1', '2nd', 'inside'], flags: ['slow'], max_turns: 3 });
  assert.deepEqual(stage.envelope, { access_mode: 'free', share_scorecard: true, max_turns: 3, ics_budget: 200, max_action_chars: 40 });
  assert.deepEqual(stage.roles, { agent: 'agent', world: 'world' });
  assert.deepEqual([stage.target.type, stage.target.id, stage.target.protocols.length], ['protocol', 'thanks', 1]);
  assert.match(stage.digest, /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual(JSON.parse(stage.source), door);
  assert.ok(stage.warnings.some(({ code, severity }) => code === 'SM0655' && severity === 'warning'));
  assert.ok(Object.isFrozen(stage.rules.checkpoints) && Object.isFrozen(stage.target.protocols[0]));
  assert.equal(Stage.fromSource(stage.json(), { shelf }).digest, stage.digest);
});

test('names that look like numbers keep the order of the file', () => {
  const text = JSON.stringify(door).replace(/"checkpoints":\{[^}]*\}/, '"checkpoints":{"b":"turn >= 1","1":"turn >= 1","a":"turn >= 1"}');
  const named = Stage.fromSource(text, { shelf });
  assert.deepEqual(named.rules.checkpoints, ['b', '1', 'a']);
  assert.deepEqual(named.open().act('x').checkpoints, ['b', '1', 'a']);
});

test('every stage that ships can be dived', () => {
  const all = stages();
  assert.deepEqual(all.map(({ id }) => id), ['agent-phishing', 'billing-dispute', 'drinking-less']);
  for (const { id, version, source, name, status } of all) {
    const shipped = Stage.shipped(`${id}@${version}`);
    assert.deepEqual([shipped.source, shipped.name, shipped.status], [source, name, status]);
    assert.deepEqual(shipped.warnings, []);
    const dive = shipped.open();
    assert.equal(dive.act('Hello.').observation.turn, 1);
    dive.free();
    shipped.free();
  }
});

test('a step', () => {
  const dive = stage.open(3);
  assert.deepEqual([dive.seed, dive.turn, dive.done, { ...dive.observation }], [3, 0, false, { done: false, turn: 0, world: 'A porter, out of the snow.' }]);
  assert.equal(dive.observation.json(), JSON.stringify(dive.observation));
  const step = dive.act('thank you');
  assert.ok(step instanceof DiveStep && step.observation instanceof Observation && Object.isFrozen(step) && Object.isFrozen(step.measured));
  assert.deepEqual({ ...step.observation }, { done: true, turn: 1, world: 'He smiles.' });
  assert.deepEqual(step.measured, { fidelity: step.measured.fidelity, ics: 1, on_target: true, score: step.measured.score });
  assert.deepEqual([step.checkpoints, step.flags], [['1', 'inside'], []]);
  assert.deepEqual(step.totals, { ics: 1, on_target: 1, score: step.measured.score, turns: 1 });
  const { observation, measured: reading, totals } = step;
  assert.deepEqual(JSON.parse(step.json()), { observation: { ...observation }, reading, totals });
  assert.deepEqual([dive.turn, dive.done, dive.totals, dive.observation], [1, true, totals, observation]);
  assert.match(dive.chain, /^[0-9a-f]{64}$/);
  assert.deepEqual(JSON.parse(dive.log[0]), { action: 'thank you', chain: dive.chain, reading, turn: 1, world: 'He smiles.' });
  refused(() => dive.act('more'), { code: 'dive_closed', place: 'action' });
});

test('what a stage does not share is on no card, but the agent sees it', () => {
  const quiet = Stage.fromSource({ ...door, envelope: { share_scorecard: false } }, { shelf });
  const dive = quiet.open();
  const step = dive.act('thank you');
  assert.deepEqual(Object.keys(JSON.parse(step.json())), ['observation', 'totals']);
  assert.equal(step.totals.turns, 1);
  assert.equal(dive.close({ diveId: 'd' }).readings, undefined);
});

test('seeds: numbers and bigints from 0 to 2^53 - 1', () => {
  for (const seed of [0, -0, 7, 7n, 2 ** 53 - 1, 2n ** 53n - 1n]) {
    const dive = stage.open(seed);
    assert.equal(dive.seed, Number(seed) + 0);
    assert.equal(dive.close({ diveId: 'd' }).seed, Number(seed) + 0);
  }
  assert.equal(stage.open(7).chain, stage.open(7n).chain);
  for (const seed of [-1, -1n, 2 ** 53, 2n ** 53n, 2n ** 64n, 1e300, 0.5, NaN, Infinity]) {
    refused(() => stage.open(seed), { code: 'invalid_request', place: 'seed', message: /whole number from 0 to 9007199254740991/ });
  }
  for (const seed of ['7', null, {}, true]) refused(() => stage.open(seed), { code: 'invalid_request', place: 'seed', message: /as a number or a bigint/ });
});

test('actions that are none leave the dive as it was', () => {
  const dive = stage.open();
  const before = dive.save();
  for (const action of [undefined, null, 7, {}, ['x']]) refused(() => dive.act(action), { code: 'invalid_request', place: 'action' });
  refused(() => dive.act('thank you \ud83d'), { code: 'invalid_request', place: 'action', message: /half of a surrogate pair/, details: { offset: 10 } });
  refused(() => dive.act('\udc00'), { place: 'action', details: { offset: 0 } });
  refused(() => dive.act('x'.repeat(41)), { code: 'action_too_long', place: 'action', message: /41 characters, but the limit of the stage is 40/ });
  refused(() => dive.act('😀'.repeat(41)), { code: 'action_too_long' });
  assert.equal(dive.save(), before);
  assert.equal(dive.act('😀'.repeat(40)).observation.turn, 1);
  assert.equal(dive.act('').observation.turn, 2);
});

test('sources that are none', () => {
  refused(() => Stage.fromSource('sonometer_stage: 1\n'), { code: 'invalid_protocol', place: /^line 1, column 1/ });
  const wrong = refused(() => Stage.fromSource({ ...door, start: 'hal' }, { shelf }), { code: 'invalid_protocol' });
  assert.ok(wrong.details.findings.some(({ code, fix }) => code === 'SM0603' && fix === 'did you mean `hall`'));
  refused(() => Stage.fromSource(door), { code: 'target_not_found', place: 'protocol' });
  refused(() => Stage.fromSource(door, { shelf: ['x'] }), { code: 'invalid_protocol', place: /^shelf\[0\]/ });
  refused(() => Stage.fromSource(door, { shelf: 7 }), { place: 'options.shelf' });
  refused(() => Stage.fromSource(door, { shelf, shipped: false }), { place: 'options.shipped' });
  refused(() => Stage.fromSource([]), { place: 'source', message: /of a stage is needed/ });
  refused(() => Stage.fromSource('\ud800'), { place: 'source' });
  refused(() => Stage.shipped('dore'), { code: 'target_not_found', place: 'stage', message: /there is agent-phishing, billing-dispute, / });
  refused(() => Stage.shipped(), { place: 'name' });
});

test('classes are not made by hand', () => {
  for (const one of [Stage, Dive, DiveStep, Observation, StageCard]) refused(() => new one(undefined, []), { code: 'invalid_request' });
});

test('what is closed and what is freed', () => {
  const { dive, card } = passed();
  assert.equal(dive.close({ diveId: 'd' }).json(), card.json(), 'closing changes nothing');
  refused(() => dive.close(), { place: 'options' });
  refused(() => dive.close({}), { place: 'options.diveId' });
  refused(() => dive.close({ diveId: 'd', agent: 'me' }), { place: 'options.agent' });
  refused(() => dive.close({ diveId: 'd', agent: { version: '1' } }), { place: 'options.agent.id' });
  refused(() => dive.close({ diveId: 'd', summary: '\ud800' }), { place: 'options.summary' });
  refused(() => dive.close({ diveId: 'd', mode: 'graded' }), { place: 'options.mode' });
  dive.free();
  dive.free();
  for (const work of [() => dive.act('x'), () => dive.save(), () => dive.log, () => dive.chain, () => dive.totals, () => dive.close({ diveId: 'd' })]) {
    refused(work, { code: 'invalid_request', place: '', message: /this dive was freed/ });
  }
  assert.deepEqual([dive.turn, dive.done, dive.seed], [2, true, 1], 'what was told stays');
  const brief = Stage.fromSource(door, { shelf });
  const outlives = brief.open();
  brief.free();
  brief[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  for (const work of [() => brief.open(), () => brief.resume('{}'), () => card.replay([], brief)]) refused(work, { message: /this stage was freed/ });
  assert.equal(brief.id, 'door');
  assert.equal(outlives.act('thank you').observation.done, true);
});

test('saved and resumed, a dive is the same', () => {
  const { dive, card } = passed();
  const again = stage.resume(dive.save());
  assert.deepEqual([again.log, again.chain, again.turn, { ...again.observation }], [dive.log, dive.chain, 2, { ...dive.observation }]);
  assert.equal(again.close({ diveId: 'd' }).json(), card.json());
  refused(() => stage.resume(dive.save().replace('"turns_here":0', '"turns_here":-1')), { code: 'card_mismatch', place: 'turns_here' });
  refused(() => stage.resume('{'), { code: 'card_mismatch' });
  refused(() => Stage.fromSource({ ...door, id: 'other' }, { shelf }).resume(dive.save()), { code: 'card_mismatch', place: 'stage' });
});

test('a card: members, text, replay', () => {
  const { dive, card } = passed();
  assert.ok(card instanceof StageCard && Object.isFrozen(card) && Object.isFrozen(card.verdict));
  assert.deepEqual([card.dive_id, card.mode, card.verdict.passed, card.readings.length, card.stage.digest], ['d', 'practice', true, 2, stage.digest]);
  assert.equal(StageCard.read(`${card.json()}\n`).json(), card.json());
  const own = card.toObject();
  own.totals.ics = 9;
  assert.deepEqual({ ...card.toObject() }, { ...card });
  card.replay(dive.log, stage);
  card.replay(dive.log.join('\n'), stage);
  card.replay(dive.log.map((line) => JSON.stringify({ action: JSON.parse(line).action })), stage);
  for (const none of [undefined, null, 7, Symbol('x'), ['{}']]) {
    refused(() => readLog([dive.log[0], none]), { code: 'invalid_request', place: 'log[1]', message: /a text is needed/ });
  }
  assert.deepEqual(readLog(dive.log), ['Good evening.', 'thank you']);
  refused(() => card.replay(dive.log), { code: 'target_not_found', place: 'stage' });
  refused(() => card.replay(dive.log, 'door'), { place: 'stage' });
  refused(() => card.replay(7, stage), { place: 'log' });
  refused(() => card.replay('{"act":"x"}', stage), { code: 'card_mismatch', place: 'line 1: act' });
  refused(() => card.replay(dive.log.with(1, dive.log[1].replace('thank', 'Thank')), stage), { code: 'card_mismatch', place: 'step 2' });
  refused(() => card.replay(dive.log.slice(0, 1), stage), { code: 'card_mismatch', place: 'totals.turns' });
});

test('cards that were changed are told by their place', () => {
  const { dive, card } = passed();
  const text = card.json();
  for (const [from, to, place] of [
    ['"dive_id":"d"', '"dive":"d"', 'dive'],
    ['"mode":"practice"', '"mode":"real"', 'mode'],
    ['"seed":1', '"seed":-1', 'seed'],
    [/"totals":\{"ics":\d+/, '"totals":{"ics":99', 'totals.ics'],
    ['"passed":true', '"passed":false', 'verdict.reason'],
    ['{"blueprint"', '{ "blueprint"', /^column 2/],
    ['"chain":"sha256:', '"chain":"sha1:', 'chain'],
  ]) {
    refused(() => StageCard.read(text.replace(from, to)), { code: 'card_mismatch', place });
  }
  for (const [from, to, place] of [
    ['"seed":1', '"seed":2', 'step 1'],
    [/"digest":"sha256:..../, '"digest":"sha256:0000', /digest$/],
    ['"chain":"sha256:', '"chain":"sha256:0000', 'chain'],
    ['"2nd",', '', 'verdict.checkpoints_hit'],
  ]) {
    const changed = text.replace(from, to).replace(/"chain":"sha256:([0-9a-f]{64})[0-9a-f]*"/, '"chain":"sha256:$1"');
    refused(() => StageCard.read(changed).replay(dive.log, stage), { code: 'card_mismatch', place });
  }
  for (const text of ['', '{}', 'null', '[', undefined, 7]) refused(() => StageCard.read(text), {});
  refused(() => StageCard.read('\ud800'), { code: 'invalid_request', place: 'card' });
});

/** The same as `refused` for promises. */
async function rejected(promise, expected) {
  const settled = await promise.then((value) => () => value, (error) => () => { throw error; });
  return refused(settled, expected);
}

test('signatures', async () => {
  const { card } = passed();
  const signed = await signCard(card, SECRET);
  assert.equal(card.signature, undefined);
  assert.match(signed.signature, /^ed25519:[0-9a-f]{16}:[\w-]{86}$/);
  assert.equal(signed.signedJson(), card.json());
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
  for (const key of [`# mine\n\n ${SECRET.toUpperCase()}\r\n`, bytes(SECRET)]) assert.equal((await signCard(card.json(), key)).json(), signed.json());
  assert.equal((await signCard(signed, SECRET)).json(), signed.json(), 'a signature is replaced');
  const other = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c';
  for (const keys of [PUBLIC, bytes(PUBLIC), `${other}\n${PUBLIC}`, [bytes(other), PUBLIC]]) assert.equal(await verifyCard(signed, keys), signed);
  assert.equal((await verifyCard(signed.json(), PUBLIC)).json(), signed.json());

  const holds = { code: 'card_mismatch', place: 'signature' };
  await rejected(verifyCard(card, PUBLIC), { ...holds, message: /not signed/ });
  await rejected(verifyCard(signed, other), { ...holds, message: /by the key `21fe31dfa154a261`, which is not among/ });
  await rejected(verifyCard(signed.json().replace('"dive_id":"d"', '"dive_id":"e"'), PUBLIC), { ...holds, message: /changed after it was signed/ });
  for (const signature of ['ed25519:21fe31dfa154a261', `${signed.signature}=`, signed.signature.slice(0, -1), 'rsa:a:b', `${signed.signature}:`]) {
    await rejected(verifyCard(card.withSignature(signature), PUBLIC), holds);
  }
  // The neutral element as first half: what makes every message fit a weak key.
  const weak = btoa(String.fromCharCode(1, ...new Uint8Array(63))).replace(/=/g, '').replace(/\+/g, '-').replace(/\//g, '_');
  await rejected(verifyCard(card.withSignature(`ed25519:21fe31dfa154a261:${weak}`), PUBLIC), { ...holds, message: /changed after/ });
  await rejected(verifyCard('{}', PUBLIC), { code: 'card_mismatch' });

  const bad = { code: 'invalid_key' };
  await rejected(verifyCard(signed, ''), { ...bad, place: 'line 1', message: /there is no key/ });
  await rejected(verifyCard(signed, `${PUBLIC}\n${PUBLIC}0`), { ...bad, place: 'line 2', message: /64 hexadecimal digits/ });
  const none = [`01${'0'.repeat(62)}`, '0'.repeat(64), `02${'0'.repeat(62)}`, '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'];
  for (const key of none) await rejected(verifyCard(signed, key), { ...bad, place: 'line 1', message: /not a valid public key/ });
  await rejected(verifyCard(signed, 7), { code: 'invalid_request', place: 'keys' });
  await rejected(verifyCard(signed, [PUBLIC, 7]), { code: 'invalid_request', place: 'keys[1]' });
  await rejected(signCard(card, bytes(SECRET).subarray(1)), bad);
  await rejected(signCard(card, `${SECRET}\n${SECRET}`), { ...bad, message: /several keys/ });
  await rejected(signCard(card), { code: 'invalid_request', place: 'secretKey' });
  await rejected(signCard(7, SECRET), { code: 'invalid_request', place: 'card' });
});

test('a WebCrypto that lacks Ed25519, or is missing, has an error of its own', async (t) => {
  const { card } = passed();
  const signed = await signCard(card, SECRET);
  const real = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
  t.after(() => Object.defineProperty(globalThis, 'crypto', real));
  const { subtle } = globalThis.crypto;
  const old = {
    digest: (...given) => subtle.digest(...given),
    importKey: () => Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError')),
  };
  for (const [crypto, message] of [[{ subtle: old }, /no Ed25519/], [{}, /WebCrypto is missing/], [undefined, /WebCrypto is missing/]]) {
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
    await rejected(verifyCard(signed, PUBLIC), { code: 'not_supported', message });
    await rejected(signCard(card, SECRET), { code: 'not_supported', message });
  }
});

test('the former entry has the same classes, by import and by require', () => {
  const required = createRequire(import.meta.url)('sonometer/dives');
  assert.deepEqual(Object.keys(former), Object.keys(sonometer));
  for (const [name, value] of Object.entries(sonometer)) assert.ok(former[name] === value && required[name] === value, name);
});

test('no stack left: stages go on, dives say what happened', () => {
  const dive = stage.open(1);
  dive.act('Good evening.');
  const saved = dive.save();
  const errors = new Set();
  const dig = () => {
    try {
      dig();
    } catch {
      // Here hardly any stack is left.
    }
    try {
      stage.open().free();
    } catch (error) {
      errors.add(error instanceof SonometerError ? error.code : error.constructor.name);
    }
  };
  dig();
  assert.ok(errors.size > 0, 'it must have failed somewhere');
  if (errors.has('internal_error')) refused(() => dive.act('x'), { code: 'internal_error', message: /resume what was saved/ });
  const again = stage.resume(saved);
  again.act('thank you');
  assert.equal(again.close({ diveId: 'd' }).json(), passed().card.json());
});

test('a dive as in Chromium', async () => {
  const told = await dived(sonometer);
  assert.match(told.at(-1), /^card_mismatch at signature: does not match this card/);
  assert.equal(told.at(-2), 'passed');
});

test('the example', () => {
  const input = 'It sounds like you came mostly for somebody else, and you like your evenings.\nYou should stop drinking, just stop.\nYou must stop it.\n';
  const run = spawnSync(process.execPath, [join(import.meta.dirname, 'examples/dive.mjs'), 'drinking-less', '4'], { encoding: 'utf8', input });
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /\[1\/12\][^]*✓ opened_up[^]*✗ pushed[^]*failed: flag_tripped\n/);
  const card = StageCard.read(run.stdout.split('\n').at(-2));
  assert.deepEqual(card.verdict.flags_tripped, ['pushed']);
});
