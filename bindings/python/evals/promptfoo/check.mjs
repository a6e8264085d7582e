// The same in JavaScript: what promptfoo asks.
import { Sensor } from 'sonometer';

const courtesy = Sensor.shipped('courtesy@1.0');

export default function check(output) {
  const reading = courtesy.sense(output);
  return {
    pass: reading.score >= 0.4,
    score: reading.score,
    reason: `the score of courtesy is ${reading.score}`,
    namedScores: reading.resonance,
  };
}
