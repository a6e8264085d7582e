// What must be refused: `tsc` fails where a line below is accepted.
import { Comparison, Interaction, Reading, Sensor, SonometerError, init } from 'sonometer';
import type { SenseOptions } from 'sonometer';

const sensor = Sensor.shipped('courtesy');
const reading = sensor.sense('text');
declare const options: SenseOptions;

// @ts-expect-error made by sensors only
new Reading();
// @ts-expect-error made by sensors only
new Comparison();
// @ts-expect-error made with `shipped` and `from`
new Sensor('courtesy');
// @ts-expect-error made with `parse`
new Interaction('{}');
// @ts-expect-error made by the package
new SonometerError('invalid_request', '');
// @ts-expect-error a text
Sensor.shipped(7);
// @ts-expect-error no such option
sensor.sense('text', { profil: 'raw' });
// @ts-expect-error no such profile
sensor.sense('text', { profile: 'all' });
// @ts-expect-error no such unit
sensor.sense('text', { offsets: 'utf8' });
// @ts-expect-error `false` leaves them out, `true` says nothing
sensor.sense('text', { offsets: true });
// @ts-expect-error a number of seconds
sensor.sense('text', { temporal: { window: '60' } });
// @ts-expect-error not a list of texts
sensor.sense(['text']);
// @ts-expect-error every turn has a role
sensor.sense([{ content: 'text' }]);
// @ts-expect-error a number
sensor.sense(7);
// @ts-expect-error misspelt
sensor.sense({ contents: 'text' });
// @ts-expect-error frozen
reading.score = 1;
// @ts-expect-error frozen
reading.evidence.push();
// @ts-expect-error not every marker is in every protocol
const a: number = reading.resonance['gratitude'];
// @ts-expect-error only with the profile `detailed`
const b: string = reading.evidence[0]!.reconstruction.segment_text;
// @ts-expect-error no places were asked for
sensor.sense('text', { offsets: false }).evidence[0]!.start;
// @ts-expect-error nor in what counts against a marker
sensor.sense('text', { offsets: false, profile: 'detailed' }).against![0]!.end;
// @ts-expect-error nor in readings of many
sensor.batch(['text'], { offsets: false })[0]!.reading!.evidence[0]!.joined;
// @ts-expect-error nor at the end of a session
sensor.session({ offsets: false }).finish().evidence[0]!.start;
// @ts-expect-error nor behind a guard
(await sensor.guard({ offsets: false }).reading).evidence[0]!.segment;
// @ts-expect-error a reading without places is no `Reading`
const c: Reading = sensor.sense('text', { offsets: false });
// @ts-expect-error what is asked for is known when this runs
const e: number = sensor.sense('text', options).evidence[0]!.start;
// @ts-expect-error behind a weak signal there may be no match
const f: number = reading.weak_signals![0]!.start;
// @ts-expect-error no such member: results are not `any`
reading.sore;
// @ts-expect-error no such member
reading.ics.costs;
// @ts-expect-error an outcome is one or the other
const d: Reading = sensor.batch(['text'])[0]!.reading;
// @ts-expect-error no such code
if (new Error() instanceof SonometerError && (new Error() as SonometerError).code === 'oops') await init();
// @ts-expect-error no such modality
sensor.estimate(10, { modality: 'smell' });
// @ts-expect-error two interactions
sensor.compare('text');
// @ts-expect-error a text or bytes
sensor.session().push(7);
// @ts-expect-error a unit or `false`
sensor.session({ offsets: true });
// @ts-expect-error only masks have it
sensor.session().end().events[0]!.shown;
// @ts-expect-error a function
sensor.guard({ onStep: 7 });
// @ts-expect-error guards release by themselves
sensor.guard({ release: false });
// @ts-expect-error a number is not where a module comes from
await init(7);
void [a, b, c, d, e, f];
