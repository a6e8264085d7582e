// Assertions for promptfoo. The package is asked for by its own name, so that these are the classes that everybody else has.
import { Sensor, SonometerError } from 'sonometer';

const EXPECTED = ['atLeast', 'atMost', 'triggered', 'silent', 'sufficient'];
/** The pieces of evidence that a reason shows. */
const MOST_SHOWN = 10;

const refused = (place, message) => new SonometerError('invalid_request', message, place);

/** A function for an assertion of the type `javascript`. */
export function readingAssertion(target, expected = {}) {
  const sensor = typeof target === 'string' ? Sensor.shipped(target) : target;
  check(sensor, expected);
  const name = `${sensor.id}@${sensor.version}`;
  return (output) => {
    // `detailed` says which metamarkers triggered: some do so by what is not said, without evidence.
    const reading = sensor.sense(output, { profile: 'detailed' });
    const { wrong, markers } = compare(name, reading, expected);
    const score = reading.score === null ? 'not measured, since there is too little text' : `${reading.score} (${sensor.scoreMeaning})`;
    return {
      pass: wrong.length === 0,
      // promptfoo takes no null: too little text to measure has the score 0, and the reason says so.
      score: reading.score ?? 0,
      reason: wrong.length === 0 ? `the score of ${name} is ${score}` : [...wrong, ...shown(reading, markers)].join('\n'),
      namedScores: { ...reading.resonance },
    };
  };
}

function check(sensor, expected) {
  if (typeof sensor?.sense !== 'function') throw refused('target', `a \`Sensor\` or the name of what ships is needed, not ${sensor === null ? 'null' : typeof sensor}`);
  if (typeof expected !== 'object' || expected === null) throw refused('expected', `an object is needed, not ${expected === null ? 'null' : typeof expected}`);
  for (const key of Object.keys(expected)) {
    if (!EXPECTED.includes(key)) throw refused(`expected.${key}`, `unknown key \`${key}\`; keys: ${EXPECTED.join(', ')}`);
  }
  for (const key of ['triggered', 'silent']) {
    const labels = expected[key] ?? [];
    if (!Array.isArray(labels)) throw refused(`expected.${key}`, `\`${key}\` is no array; give metamarkers: ${key}: ['${labels}']`);
    const at = labels.findIndex((label) => !sensor.markers.includes(label));
    if (at >= 0) {
      const message = `${sensor.id}@${sensor.version} has no metamarker \`${labels[at]}\`; it has ${sensor.markers.join(', ')}`;
      throw refused(`expected.${key}[${at}]`, message);
    }
  }
  for (const key of ['atLeast', 'atMost']) {
    const bound = expected[key];
    if (bound === undefined || (typeof bound === 'number' && bound >= 0 && bound <= 1)) continue;
    throw refused(`expected.${key}`, `\`${key}\` is ${bound}; scores are numbers from 0 to 1`);
  }
  if (!['boolean', 'undefined'].includes(typeof expected.sufficient)) throw refused('expected.sufficient', '`sufficient` is `true` or `false`');
}

/** What does not hold, and the metamarkers whose evidence shows why (none: all). */
function compare(name, reading, { atLeast, atMost, triggered = [], silent = [], sufficient = true }) {
  if (!reading.fidelity.sufficient) {
    const index = reading.fidelity.index;
    const message = `there is too little text to measure: the fidelity for ${name} is ${index}; give more text, or \`sufficient: false\``;
    return { wrong: sufficient ? [message] : [], markers: new Set() };
  }
  const wrong = [];
  if (atLeast !== undefined && reading.score < atLeast) wrong.push(`the score of ${name} is ${reading.score}, below ${atLeast}`);
  if (atMost !== undefined && reading.score > atMost) wrong.push(`the score of ${name} is ${reading.score}, above ${atMost}`);
  const isAboutScore = wrong.length > 0;
  const found = new Set(reading.ics.markers);
  const markers = new Set();
  const expect = (label, said) => {
    wrong.push(`\`${label}\` ${said}: its resonance is ${reading.resonance[label]}`);
    markers.add(label);
  };
  for (const label of triggered) if (!found.has(label)) expect(label, 'did not trigger');
  for (const label of silent) if (found.has(label)) expect(label, 'triggered');
  return { wrong, markers: isAboutScore ? new Set() : markers };
}

function shown(reading, markers) {
  const found = reading.evidence.filter((piece) => markers.size === 0 || markers.has(piece.metamarker));
  // Masked where the target masks. JSON keeps a piece on its line.
  const lines = found.slice(0, MOST_SHOWN).map(
    ({ metamarker, score, source, start, end }) => `  ${metamarker} ${score} ${JSON.stringify(source)} at ${start}–${end}`,
  );
  if (found.length > MOST_SHOWN) lines.push(`  and ${found.length - MOST_SHOWN} more pieces of evidence`);
  return lines;
}
