// A page that shows the evidence of what is typed. Serve this folder with the package beside it, as `sonometer/`.
import './sonometer/talk.js';
import { Sensor } from './sonometer/worker.js';

const EXAMPLE = `agent: Good morning, thank you so much for calling. How can I help?
customer: What the hell, you never listen! My card is 4111 1111 1111 1111.
agent: I'm so sorry about that. Could you please tell me which lights are on?`;

const at = (id) => document.getElementById(id);

/** Turns where every line begins with a role, otherwise one text. */
function talkOf(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const turns = lines.map((line) => /^(\w+): (.+)$/.exec(line)).map((found) => found && { role: found[1], content: found[2] });
  return turns.length > 0 && turns.every(Boolean) ? turns : text;
}

async function choose() {
  const sensor = await Sensor.shipped(at('protocol').value);
  at('meaning').textContent = sensor.scoreMeaning;
  at('talk').sensor = sensor;
}

at('talk').addEventListener('sonometer-reading', ({ detail }) => {
  document.title = `score ${detail.score ?? 'not measured'}`;
});
at('protocol').addEventListener('change', choose);
at('text').addEventListener('input', () => {
  at('talk').talk = talkOf(at('text').value);
});
at('text').value = EXAMPLE;
at('talk').talk = talkOf(EXAMPLE);
await choose();
