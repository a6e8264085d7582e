// Assertions, called as promptfoo calls them.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Sensor } from 'sonometer';
import { readingAssertion } from 'sonometer/promptfoo';

const KIND = 'Good morning, thank you so much for your help!';

test('what holds passes, with the score of the reading', () => {
  const graded = readingAssertion('courtesy@1.0', { atLeast: 0.5, triggered: ['gratitude'], silent: ['contempt'] })(KIND);
  const reading = Sensor.shipped('courtesy@1.0').sense(KIND);
  assert.deepEqual([graded.pass, graded.score, graded.namedScores], [true, reading.score, { ...reading.resonance }]);
  const by = createRequire(import.meta.url)('sonometer/promptfoo').readingAssertion;
  assert.deepEqual(by(Sensor.shipped('courtesy@1.0'), { atLeast: 0.5 })(KIND).score, reading.score);
});

test('a failure shows evidence and its places', () => {
  const graded = readingAssertion('courtesy@1.0', { silent: ['gratitude'], triggered: ['apology'] })(KIND);
  const lines = graded.reason.split('\n');
  assert.equal(graded.pass, false);
  assert.match(lines[0], /^`apology` did not trigger: its resonance is 0$/);
  assert.match(lines[1], /^`gratitude` triggered/);
  assert.deepEqual(lines.slice(2), ['  gratitude 0.6 "thank you" at 14–23']);
});

test('nothing masked is shown', () => {
  const { pass, reason } = readingAssertion('personal-data@1.0', { atLeast: 0.9 })('My card is 4111 1111 1111 1111, please charge it.');
  assert.equal(pass, false);
  assert.ok(reason.includes('at 11–30') && !reason.includes('4111'), reason);
});

test('too little to measure fails unless it is allowed', () => {
  const graded = readingAssertion('courtesy@1.0')('Hm.');
  assert.deepEqual([graded.pass, graded.score], [false, 0]);
  assert.match(graded.reason, /too little text/);
  assert.match(readingAssertion('courtesy')('Hm.').reason, /the fidelity for courtesy@\d/, 'the version that was taken');
  assert.equal(readingAssertion('courtesy@1.0', { atLeast: 1, sufficient: false })('Hm.').pass, true);
});

test('wrong expectations are refused', () => {
  for (const [expected, place, message] of [
    [{ at_least: 0.5 }, 'expected.at_least', /unknown key `at_least`; keys: atLeast/],
    [{ silent: ['contemt'] }, 'expected.silent[0]', /no metamarker `contemt`; it has gratitude/],
    [{ silent: 'contempt' }, 'expected.silent', /silent: \['contempt'\]/],
    [{ atMost: 7 }, 'expected.atMost', /`atMost` is 7; scores are numbers from 0 to 1/],
  ]) {
    assert.throws(() => readingAssertion('courtesy@1.0', expected), { name: 'SonometerError', code: 'invalid_request', place, message });
  }
  assert.throws(() => readingAssertion('curtesy'), { code: 'target_not_found' });
  for (const target of [undefined, null, {}]) assert.throws(() => readingAssertion(target), { name: 'SonometerError', place: 'target', message: /a `Sensor` or the name/ });
  assert.throws(() => readingAssertion('courtesy@1.0', null), { name: 'SonometerError', place: 'expected', message: /not null/ });
  assert.throws(() => readingAssertion('courtesy@1.0', { sufficient: 'no' }), { name: 'SonometerError', place: 'expected.sufficient' });
});
