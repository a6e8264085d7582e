// Without the library of the DOM, as in programs of Node: the types of the worker do not bring it in, since it has other streams than Node.
import { Sensor, terminate } from 'sonometer/worker';
import type { Cancel, Guard, Reading } from 'sonometer/worker';

const sensor: Sensor = await Sensor.shipped('courtesy');
const cancel: Cancel = {};
const reading: Reading = await sensor.sense('Thank you so much.', cancel);
const score: number | null = reading.score;
const guard: Guard = await sensor.guard();
terminate();

// @ts-expect-error there is no page here
document.title = String(score ?? guard);
