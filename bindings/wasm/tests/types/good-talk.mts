// What must be accepted of the entries beside the engine. Never run; `tsc --strict` reads it.
import { Sensor as Local, SonometerError } from 'sonometer';
import { highlight } from 'sonometer/highlight';
import type { Highlighted, Mark, Part } from 'sonometer/highlight';
import { SonometerTalk } from 'sonometer/talk';
import { Interaction, Sensor, catalog, fingerprint, init, terminate } from 'sonometer/worker';
import type { Guard, Outcome, Reading, Session, Shown } from 'sonometer/worker';

await init('/sonometer.wasm', { transfer: false });
await init(new Uint8Array(8), { transfer: true, worker: () => new Worker('/worker-thread.js') });
const sensor: Sensor = await Sensor.shipped('courtesy', { signal: AbortSignal.timeout(1000) });
const own: Sensor = await Sensor.fromSource('…', { files: {}, signal: new AbortController().signal });
const reading: Reading = await sensor.sense('text', { profile: 'detailed', signal: AbortSignal.timeout(1000) });
const without: Reading<false> = await sensor.sense('text', { offsets: false });
const place: number = reading.evidence[0]!.start;
const outcomes: Outcome[] = await sensor.batch(['a', [{ role: 'agent', content: 'b' }]]);
for await (const { reading, error } of sensor.each(['a'])) void [reading?.score, error?.place];
const session: Session = await sensor.session({ release: true });
const offset: number = (await session.push(new Uint8Array(8), { transfer: true })).released_to.offset;
const guard: Guard = await sensor.guard({ onStep: (step) => void step.events });
const text: ReadableStream<string> = guard.readable;
await sensor.sense(await Interaction.parse('{"content": "text"}'));
const shown: readonly Shown[] = await sensor.shown('text', { mask: 'label' });
const first: string | undefined = (await catalog())[0]?.id;
const engine: string = await fingerprint();
await using held = await Sensor.load('refusal');
terminate();

const local = Local.shipped('courtesy');
const turns: readonly Highlighted[] = highlight('text', local.sense('text'), { effects: local.effects, markers: local.markers });
const stored: readonly Highlighted[] = highlight(shown, JSON.parse(local.sense('text').json()));
const parts: readonly Part[] = turns[0]!.parts;
const mark: Mark | undefined = parts[0]?.marks[0];
const role: string | undefined = stored[0]?.role;
const masked: string = local.sense('text').shown('text')[0]!.text;

const element: SonometerTalk = document.createElement('sonometer-talk');
element.talk = 'text';
element.sensor = Math.random() < 0.5 ? local : sensor;
element.reading = reading;
element.shown = shown;
element.addEventListener('sonometer-reading', ({ detail }) => detail.score);
element.addEventListener('sonometer-error', ({ detail }) => detail.place);
void [own, without, place, outcomes, offset, text, first, engine, held, mark, role, masked, SonometerError];
