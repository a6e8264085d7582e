// What must be accepted. Never run; `tsc --strict` reads it.
import { Interaction, Sensor, SonometerError, catalog, fingerprint, init } from 'sonometer';
import type {
  CatalogEntry, Comparison, ErrorCode, Estimate, Fidelity, Finding, Guard, OffsetUnit, Offsets, Outcome, Reading, SenseOptions, Session, Step, Turn,
} from 'sonometer';

await init();
await init('https://example.org/sonometer.wasm');
await init(new Uint8Array(8));

using sensor = Sensor.shipped('courtesy');
const turns: readonly Turn[] = [{ role: 'agent', content: 'Good morning.', timestamp: 0 }];
const reading: Reading = sensor.sense(turns, { profile: 'detailed', offsets: 'utf16', flow: { primary: 'agent' }, temporal: true, usdPerIcs: 0.01 });
const score: number | null = reading.score;
const gratitude: number | undefined = reading.resonance['gratitude'];
for (const { metamarker, score, source, start, end } of reading.evidence) {
  const length: number = end - start;
  const text: string = source + metamarker + String(score);
  void [length, text];
}
const first: string | undefined = reading.evidence[0]?.reconstruction?.segment_text;
const mode: string | null | undefined = reading.signal?.dominant_mode;

// Places are numbers unless `offsets: false` is asked for.
const place: number = sensor.sense('text').evidence[0]!.start;
const places: number[] = [
  sensor.sense('text', { offsets: 'utf16' }).evidence[0]!.end,
  sensor.sense('text', { profile: 'detailed' }).against![0]!.end,
  sensor.batch(['text'], { offsets: 'chars' })[0]!.reading!.evidence[0]!.start,
  [...sensor.each(['text'])][0]!.reading!.evidence[0]!.start,
  sensor.session().soFar().evidence[0]!.start,
  sensor.session({ offsets: 'bytes', release: true }).finish().evidence[0]!.end,
  (await sensor.guard({ offsets: 'chars' }).reading).evidence[0]!.end,
];
const without: Reading<false> = sensor.sense('text', { offsets: false });
const withoutPlaces: string[] = without.evidence.map(({ source }) => source);
// Asked for by a variable, they may be there.
declare const options: SenseOptions;
const perhaps: Reading<Offsets> = sensor.sense('text', options);
const maybe: number | undefined = perhaps.evidence[0]?.start;
const undecided: Reading<Offsets> = sensor.sense('text', { offsets: undefined });
declare const unit: OffsetUnit;
const known: Reading = sensor.sense('text', { offsets: unit });
const either: Reading<Offsets> = Math.random() < 0.5 ? reading : without;
void [place, places, withoutPlaces, maybe, undecided, known, either];

sensor.sense([
  { role: 'user', content: [{ type: 'text', text: 'text' }, { type: 'image_url', image_url: { url: 'x' } }] },
  { role: 'assistant', content: null, tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
  { type: 'function_call_output', call_id: '1', output: 'text' },
  { role: 'tool', tool_call_id: '1', content: 'text' },
]);
// As `ResponseInputItem` of the package `openai` has them.
declare const references: { id: string; type?: 'item_reference' | null }[];
sensor.sense([...references, { role: 'user', content: 'text' }]);
sensor.sense({ content: 'text', label: 'a' });
sensor.sense({ segments: turns, type: 'transcript' });
sensor.sense(Interaction.parse('{"content": "text"}'), { offsets: false });
const fidelity: Fidelity = sensor.fidelity('text');
const roles: readonly (readonly string[] | undefined)[] = [fidelity.roles_asked, fidelity.roles_seen];
const comparison: Comparison = sensor.compare('a', turns, { usdPerIcs: 1 });
const estimate: Estimate = sensor.estimate(10, { modality: 'transcript' });
const outcomes: Outcome[] = sensor.batch(new Set(['a', 'b']));
for (const { reading, error } of sensor.each(outcomes.map((_, at) => `${at}`))) {
  if (error) {
    const code: ErrorCode = error.code;
    void code;
  } else {
    const known: Reading = reading;
    void known;
  }
}
using session: Session = sensor.session({ release: true, offsets: 'bytes' });
session.beginSegment('agent', { timestamp: 0.5 });
const step: Step = session.push(new Uint8Array(3));
for (const event of step.events) {
  if (event.event === 'mask') session.push(event.shown);
  if (event.event === 'fidelity' && !event.sufficient) session.pushSegment({ role: 'a', content: 'b' });
}
const settled: number = session.settledTo.offset;
const guard: Guard = sensor.guard({ onStep: ({ released }) => void released?.[0]?.text });
sensor.guard({ onStep: async ({ events }) => { await Promise.resolve(events); } });
sensor.guard({ onStep: ({ events }) => events.length });
const whole: Promise<Reading> = guard.reading;
const readable: ReadableStream<string> = guard.readable;
void [settled, whole, readable, session.soFar(), session.end(), session.finish()];
const own = Sensor.fromSource('sonometer: 1', { shelf: [{ sonometer: 1 }, 'sonometer: 1'], shipped: false });
const former: Sensor = Sensor.from('sonometer: 1');
former.free();
own.free();
const entries: readonly CatalogEntry[] = catalog();
const print: string = fingerprint();
try {
  Sensor.fromSource('');
} catch (error) {
  if (error instanceof SonometerError && error.code === 'invalid_protocol') {
    const findings: readonly Finding[] | undefined = error.details.findings;
    void findings;
  }
}
void [score, gratitude, first, mode, fidelity, comparison, estimate, entries, print];
