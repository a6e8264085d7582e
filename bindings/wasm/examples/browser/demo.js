// A page that senses what is typed. Serve this folder with the package beside it, as `sonometer/`.
import { Sensor, catalog, fingerprint, init } from './sonometer/web.js';

const EXAMPLE = `Good morning, thank you so much for calling Northlight Internet. How can I help?

I'm so sorry about that, and I really appreciate your patience. Could you please tell me which lights are on? If you would like, I can stay on the line 🙂

THIS IS THE THIRD TIME!!`;

const at = (id) => document.getElementById(id);

await init();
for (const { id, name, kind, status } of catalog()) {
  if (status === 'draft') continue;
  at('sensor').add(new Option(kind === 'protocol' ? name : `${name} (${kind})`, id));
}
at('sensor').value = 'courtesy';
at('fingerprint').textContent = fingerprint();

let sensor = Sensor.shipped('courtesy');
at('sensor').addEventListener('change', () => {
  sensor.free();
  sensor = Sensor.shipped(at('sensor').value);
  show();
});
at('text').addEventListener('input', show);
at('example').addEventListener('click', () => {
  at('text').value = EXAMPLE;
  show();
});
at('text').value = EXAMPLE;
show();

function show() {
  const text = at('text').value;
  const before = performance.now();
  const reading = sensor.sense(text);
  const spent = performance.now() - before;

  at('score').textContent = reading.score;
  at('fidelity').textContent = reading.fidelity.index;
  at('time').textContent = `${spent.toFixed(1)} ms`;
  at('note').textContent = reading.fidelity.sufficient ? '' : 'Too little to measure: a longer or more readable text is needed.';
  at('shown').replaceChildren(...marked(text, reading.evidence));
  at('resonance').replaceChildren(...Object.entries(reading.resonance).sort(([, a], [, b]) => b - a).map(bar));
  at('evidence').replaceChildren(...reading.evidence.map(row));
}

/** The text with what is evidence marked; places count UTF-16 units, as `slice` does. */
function marked(text, evidence) {
  const parts = [];
  let done = 0;
  for (const { start, end, metamarker } of evidence) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    const mark = element('mark', text.slice(from, end));
    mark.title = metamarker;
    parts.push(text.slice(done, from), mark);
    done = end;
  }
  return [...parts, text.slice(done)];
}

function bar([metamarker, resonance]) {
  const meter = element('meter', '');
  meter.value = resonance;
  const line = element('div', '', element('span', metamarker), meter, element('output', String(resonance)));
  line.className = resonance > 0 ? 'marker' : 'marker silent';
  return line;
}

function row({ metamarker, source, score }) {
  return element('tr', '', element('td', metamarker), element('td', source), element('td', String(score)));
}

function element(name, text, ...children) {
  const made = document.createElement(name);
  made.append(text, ...children);
  return made;
}
