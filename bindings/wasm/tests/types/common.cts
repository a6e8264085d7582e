// The same declarations from a CommonJS module.
import sonometer = require('sonometer');

const sensor: sonometer.Sensor = sonometer.Sensor.shipped('courtesy');
const score: number | null = sensor.sense('text').score;
// @ts-expect-error no such member
sensor.sens('text');
void score;
import dives = require('sonometer/dives');

const dive: dives.Dive = dives.Stage.shipped('drinking-less').open(7n);
const reading: sonometer.Reading = dives.Sensor.shipped('courtesy').sense('text');
// @ts-expect-error no such member
dive.acts('text');
void reading;
