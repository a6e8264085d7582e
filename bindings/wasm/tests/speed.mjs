// node speed.mjs FILE NATIVE: the WebAssembly door beside the native engine (microseconds a message, from native_speed).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sonometer } from './package-path.mjs';

const [file, native] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');
const [nativeTime, nativeBytes] = native.split(' ').map(Number);
const sensor = sonometer.Sensor.shipped('courtesy');

/** Microseconds each, the least of many rounds. */
function least(rounds, count, work) {
  let best = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const begin = process.hrtime.bigint();
    work();
    best = Math.min(best, Number(process.hrtime.bigint() - begin) / 1e3 / count);
  }
  return best;
}

assert.equal(Buffer.byteLength(sensor.sense(text).json()), nativeBytes, 'both do the same work');
const one = least(200, 100, () => {
  for (let at = 0; at < 100; at += 1) sensor.sense(text);
});
const messages = Array.from({ length: 10_000 }, (_, at) => `${text} ${at}`);
let outcomes;
const many = least(3, messages.length, () => {
  outcomes = sensor.batch(messages);
});
assert.ok(outcomes.length === 10_000 && outcomes.every(({ reading }) => reading?.evidence.length > 0));

const row = (what, time) => console.log(`${what.padEnd(44)} ${time.toFixed(1).padStart(8)} µs  ${(time / nativeTime).toFixed(2).padStart(5)} × native`);
console.log(`a text of ${Buffer.byteLength(text)} bytes, ${nativeBytes} bytes of JSON, Node ${process.version}`);
row('native: sense and JSON', nativeTime);
row('sense in Node, with objects', one);
row('10,000 in one batch, each', many);
console.log(`10,000 in one batch: ${((many * messages.length) / 1e6).toFixed(2)} s`);
