// What must be refused of the entries beside the engine.
import { Sensor as Local } from 'sonometer';
import { highlight } from 'sonometer/highlight';
import { Interaction, Sensor } from 'sonometer/worker';

// @ts-expect-error a sensor of a worker must be waited for
Sensor.shipped('courtesy').markers;
const sensor = await Sensor.shipped('courtesy');
// @ts-expect-error and so must its readings
sensor.sense('text').score;
// @ts-expect-error a signal is no number
await sensor.sense('text', { signal: 7 });
// @ts-expect-error there is no constructor
new Sensor();
// @ts-expect-error interactions are parsed in the worker
await sensor.sense(Interaction.parse('{}'));
// @ts-expect-error places are needed
highlight('text', Local.shipped('courtesy').sense('text', { offsets: false }));
// @ts-expect-error a reading that was stored needs what `shown` gave
highlight('text', JSON.parse('{}') as { resonance: {}; evidence: [] });
// @ts-expect-error it is not changed
highlight('text', Local.shipped('courtesy').sense('text'))[0]!.parts = [];
document.createElement('sonometer-talk').addEventListener('sonometer-reading', ({ detail }) => {
  // @ts-expect-error no such member
  void detail.scores;
});
