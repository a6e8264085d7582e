// node speed.mjs FILE NATIVE: the WebAssembly door beside the native engine, of which NATIVE holds the lines of native_speed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sonometer } from './package-path.mjs';

const [file, native] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');
const SPENT = 2000n * 1_000_000n;

/** Microseconds each, the least of many rounds. */
function least(count, work) {
  let best = Infinity;
  const whole = process.hrtime.bigint();
  do {
    const begin = process.hrtime.bigint();
    work();
    best = Math.min(best, Number(process.hrtime.bigint() - begin) / 1e3 / count);
  } while (process.hrtime.bigint() - whole < SPENT);
  return best;
}

const times = (spent, native) => (spent / Number(native)).toFixed(2);
const row = (first, ...columns) => console.log([first.padEnd(18), ...columns.map((column) => String(column).padStart(10))].join(' '));

console.log(`a text of ${Buffer.byteLength(text)} bytes to a reading (microseconds), and a sensor by its name (milliseconds), Node ${process.version}`);
row('target', 'JSON bytes', 'native', 'Node', 'times', 'in 10,000', 'times', 'load', 'Node', 'times');
for (const line of native.trim().split('\n')) {
  const [target, time, bytes, load] = line.split(' ');
  const sensor = sonometer.Sensor.shipped(target);
  assert.equal(Buffer.byteLength(sensor.sense(text).json()), Number(bytes), 'both do the same work');
  const one = least(20, () => {
    for (let at = 0; at < 20; at += 1) sensor.sense(text);
  });
  const messages = Array.from({ length: 10_000 }, (_, at) => `${text} ${at}`);
  // One long stretch has no quiet moment, so what it took of the processor counts, with what V8 did beside.
  const before = process.cpuUsage();
  const outcomes = sensor.batch(messages);
  const { user, system } = process.cpuUsage(before);
  const many = (user + system) / messages.length;
  assert.ok(outcomes.length === messages.length && outcomes.every(({ reading }) => reading !== undefined));
  const loading = least(1, () => sonometer.Sensor.shipped(target).free()) / 1e3;
  row(target, bytes, time, one.toFixed(2), times(one, time), many.toFixed(2), times(many, time), load, loading.toFixed(2), times(loading, load));
}
