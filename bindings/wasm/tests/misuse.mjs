// Misuse of every kind, told in one line each: the same lines are expected in Node and in Chromium.
import { thanks } from './thanks.mjs';

export const expected = [
  'a number: invalid_request at interaction',
  'nothing: invalid_request at interaction',
  'a misspelt key: invalid_request at segments[0].contents',
  'a protocol that is none: invalid_protocol at line 1, column 1',
  'what does not ship: target_not_found at target',
  'an unknown option: invalid_request at options.profil',
  'a promise: a text, a list of turns or an interaction is needed, not a promise; write `await` before it',
  'half of a pair: invalid_request at content',
  'half of a pair in JSON text: invalid_request at line 1, column 14',
  'a byte order mark: found at 1 to 10, 10 units long',
  'too long: payload_too_large at content',
  'twenty million units: found at 20999979',
  'a getter that throws: invalid_request at interaction, because of RangeError: mine',
  'a list that throws: RangeError: mine',
  'a listener that throws: RangeError: mine, and the reading: RangeError: mine; passed: All is |well. ',
  'a listener that fails later: RangeError: mine; passed: ',
  'a chunk that is no text: invalid_request at chunk; passed: All is well. ',
  'a guard whose reader stops: RangeError: mine',
  'a guard whose source fails: RangeError: mine',
  'a guard whose pipe is aborted: RangeError: mine',
  'bytes that are no UTF-8: invalid_request at content',
  'a session that is over: invalid_request, this session is over; begin another',
  'a sensor that was freed: invalid_request, this sensor was freed; make a new one',
  'no stack left: internal_error or RangeError, and a sound engine afterwards',
];

/** @param {typeof import('sonometer')} sonometer */
export async function misuse({ Interaction, Sensor, SonometerError }) {
  const sensor = Sensor.fromSource(thanks);
  const privacy = Sensor.shipped('personal-data@2.0');
  const told = [];
  const tell = (what, outcome) => told.push(`${what}: ${outcome}`);
  const name = (error) => {
    if (!(error instanceof SonometerError)) return String(error);
    return `${error.code} at ${error.place}${error.cause === undefined ? '' : `, because of ${error.cause}`}`;
  };
  const refused = (what, work, say = name) => {
    try {
      work();
      tell(what, 'no error');
    } catch (error) {
      tell(what, say(error));
    }
  };
  refused('a number', () => sensor.sense(7));
  refused('nothing', () => sensor.sense());
  refused('a misspelt key', () => sensor.sense([{ role: 'a', contents: 'x' }]));
  refused('a protocol that is none', () => Sensor.fromSource('- x'));
  refused('what does not ship', () => Sensor.shipped('nothing'));
  refused('an unknown option', () => sensor.sense('x', { profil: 'raw' }));
  refused('a promise', () => sensor.sense(Promise.resolve('Thank you.')), (error) => error.message);
  refused('half of a pair', () => sensor.sense('thank you \ud83d'));
  refused('half of a pair in JSON text', () => Interaction.parse('{"content": "\\ud800"}'));
  const [found] = sensor.sense('\ufeffThank you').evidence;
  tell('a byte order mark', `found at ${found.start} to ${found.end}, ${'\ufeffThank you'.length} units long`);
  refused('too long', () => sensor.sense('a'.repeat((64 << 20) + 1)));
  const words = 'nothing to see here, '.repeat(999_999);
  tell('twenty million units', `found at ${sensor.sense(`${words}thank you`).evidence[0].start}`);
  refused('a getter that throws', () => sensor.sense({ get content() { throw new RangeError('mine'); } }));
  refused('a list that throws', () => sensor.batch((function* () { yield 'a'; throw new RangeError('mine'); })()));
  {
    const guard = privacy.guard({
      onStep: ({ events }) => {
        if (events.some(({ event }) => event === 'evidence')) throw new RangeError('mine');
      },
    });
    const [error, passed] = await through(guard, ['All is well. ', 'My card is 4111 1111 1111 1111. ', 'More. ']);
    const reading = await guard.reading.then(() => 'there', name);
    tell('a listener that throws', `${name(error)}, and the reading: ${reading}; passed: ${passed}`);
  }
  {
    const failing = () => new Promise((_, reject) => setTimeout(reject, 5, new RangeError('mine')));
    const [error, passed] = await through(privacy.guard({ onStep: failing }), ['All is well. ', 'More. ']);
    tell('a listener that fails later', `${name(error)}; passed: ${passed}`);
  }
  {
    const [error, passed] = await through(privacy.guard(), ['All is well. And ', 7]);
    tell('a chunk that is no text', `${name(error)}; passed: ${passed}`);
  }
  for (const [what, ending] of Object.entries(endings)) {
    const guard = privacy.guard();
    await ending(guard);
    tell(`a guard whose ${what}`, await Promise.race([guard.reading.then(() => 'a reading', name), later('nothing is heard')]));
  }
  const session = sensor.session();
  refused('bytes that are no UTF-8', () => session.push(Uint8Array.of(0xff)));
  session.finish();
  const message = ({ code, message }) => `${code}, ${message}`;
  refused('a session that is over', () => session.push('a'), message);
  const freed = Sensor.fromSource(thanks);
  freed.free();
  refused('a sensor that was freed', () => freed.sense('a'), message);
  tell('no stack left', exhaust(sensor, SonometerError));
  return told;
}

/** How guards end before their text does. */
const endings = {
  'reader stops': (guard) => guard.readable.cancel(new RangeError('mine')),
  'source fails': (guard) => new ReadableStream({ start: (source) => source.error(new RangeError('mine')) }).pipeTo(guard.writable).catch(() => {}),
  'pipe is aborted': (guard) => new ReadableStream().pipeTo(guard.writable, { signal: AbortSignal.abort(new RangeError('mine')) }).catch(() => {}),
};

const later = (value) => new Promise((resolve) => setTimeout(resolve, 5_000, value));

/** What came out of a guard before it failed, and how it failed. */
async function through(guard, chunks) {
  const source = new ReadableStream({
    pull(controller) {
      if (chunks.length === 0) controller.close();
      else controller.enqueue(chunks.shift());
    },
  });
  const reader = source.pipeThrough(guard).getReader();
  const passed = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return [new Error('it did not fail'), passed.join('|')];
      passed.push(value);
    }
  } catch (error) {
    return [error, passed.join('|')];
  }
}

/** Senses with less and less stack. */
function exhaust(sensor, SonometerError) {
  const before = sensor.sense('thank you').json();
  const strange = [];
  let failures = 0;
  const dig = () => {
    try {
      dig();
    } catch {
      // Here hardly any stack is left.
    }
    try {
      sensor.sense('thank you');
    } catch (error) {
      failures += 1;
      const known = error instanceof SonometerError ? error.code === 'internal_error' : error instanceof RangeError;
      if (!known) strange.push(String(error));
    }
  };
  dig();
  if (failures === 0) return 'it never failed';
  if (strange.length > 0) return strange[0];
  return `internal_error or RangeError, and ${sensor.sense('thank you').json() === before ? 'a sound engine' : 'another reading'} afterwards`;
}
