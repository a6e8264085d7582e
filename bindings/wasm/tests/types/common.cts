// The same declarations from a CommonJS module.
import sonometer = require('sonometer');

const sensor: sonometer.Sensor = sonometer.Sensor.shipped('courtesy');
const score: number = sensor.sense('text').score;
// @ts-expect-error no such member
sensor.sens('text');
void score;
