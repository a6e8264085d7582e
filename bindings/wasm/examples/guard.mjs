// A guard between a language model and its reader: text passes word by word, as soon as no masked pattern can reach it, and
// private stretches are masked. Evidence follows with its sentence. Run it: node guard.mjs
import { Sensor } from 'sonometer';

/** Stands for a model: pieces of an answer, cut anywhere, as they come from the network. */
function answer() {
  const text =
    'Thank you for waiting 🙂 I found your booking. The card on file is 4111 1111 1111 1111, registered to imke@example.org. ' +
    'Shall I use it again? Otherwise just send me another one.';
  const pieces = text.match(/[^]{1,7}/gu);
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}

const sensor = Sensor.shipped('personal-data');
const guard = sensor.guard({
  onStep({ events }) {
    for (const event of events) {
      if (event.event === 'evidence') console.error(`   [${event.metamarker}: ${event.source}]`);
    }
  },
});
for await (const text of answer().pipeThrough(guard)) process.stdout.write(text);
const reading = await guard.reading;
console.log(`\nscore ${reading.score}, ${reading.evidence.length} places masked`);
sensor.free();
