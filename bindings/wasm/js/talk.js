// `<sonometer-talk>`: a talk with its evidence marked. It shows what `highlight` gives, so nothing that is masked.
import { highlight } from './highlight.js';
import { tones } from './tones.js';

export { highlight } from './highlight.js';

const STYLE = `
:host { display: block; font: inherit; line-height: 1.7; overflow-wrap: anywhere; }
:host([hidden]) { display: none; }
p { margin: 0 0 .5em; white-space: pre-wrap; }
.role { font-weight: 600; margin-inline-end: .5em; }
mark { --line: color-mix(in srgb, hsl(var(--h) 65% 45%) 70%, currentColor); color: inherit; border-radius: .2em; padding: .05em .1em; background: hsl(var(--h) 70% 50% / .2); }
.evidence { text-decoration: underline 2px var(--line); text-decoration-style: var(--style); text-underline-offset: .22em; }
.evidence.worsens { background: repeating-linear-gradient(-45deg, hsl(var(--h) 70% 50% / .3) 0 3px, hsl(var(--h) 70% 50% / .12) 3px 7px); }
.weak { background: none; text-decoration: underline dotted 1px; text-underline-offset: .22em; }
.against { background: none; text-decoration: line-through 1px; }
.masked { font-family: ui-monospace, monospace; }
.aside { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; user-select: none; }
ul { list-style: none; display: flex; flex-wrap: wrap; gap: .3em 1.2em; margin: .6em 0 0; padding: 0; font-size: .9em; }
.figure { font-variant-numeric: tabular-nums; }
.note { font-style: italic; }
`;
const POLES = { improves: ['▲', 'good news'], worsens: ['▼', 'bad news'] };
const KINDS = { evidence: '', weak: ', nearly found', against: ', counts against' };
const GIVEN = ['talk', 'sensor', 'reading', 'shown', 'effects'];

let sheet;

// Outside of browsers the module can be imported all the same, for `highlight`.
const Base = globalThis.HTMLElement ?? class {};

/** The element. Give it `talk` and `sensor`; or `shown` and `reading`, where they were computed elsewhere. */
export class SonometerTalk extends Base {
  static observedAttributes = ['legend', 'profile'];
  #given = {};
  #measured;
  #due = 0;
  #root;

  constructor() {
    super();
    this.#root = this.attachShadow({ mode: 'open' });
    if (sheet === undefined) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
    }
    this.#root.adoptedStyleSheets = [sheet];
  }

  connectedCallback() {
    // What was set before the element was defined stands on the object itself, in the way of the accessors.
    for (const name of GIVEN) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
  }

  attributeChangedCallback() {
    this.#change();
  }

  /** What is shown: a text, turns, or any interaction. */
  get talk() {
    return this.#given.talk;
  }

  set talk(talk) {
    this.#set({ talk });
  }

  /** What measures it: a `Sensor`, of this page or of a worker. */
  get sensor() {
    return this.#given.sensor;
  }

  set sensor(sensor) {
    this.#set({ sensor });
  }

  /** What was found. Where a sensor is given, the element measures by itself. */
  get reading() {
    return this.#given.reading ?? this.#measured;
  }

  set reading(reading) {
    this.#set({ reading });
  }

  /** The turns as they may be shown, by `sensor.shown(talk)`. */
  get shown() {
    return this.#given.shown;
  }

  set shown(shown) {
    this.#set({ shown });
  }

  /** Whether finding a marker is good news, by its key: `sensor.effects`. */
  get effects() {
    return this.#given.effects ?? this.#given.sensor?.effects;
  }

  set effects(effects) {
    this.#set({ effects });
  }

  #set(given) {
    Object.assign(this.#given, given);
    this.#change();
  }

  /** Several changes in a row are shown once. */
  #change() {
    this.#due += 1;
    const own = this.#due;
    queueMicrotask(() => own === this.#due && this.#update(own));
  }

  async #update(own) {
    const { talk, sensor, reading: given, shown: masked } = this.#given;
    try {
      if (given === undefined && (talk === undefined || sensor === undefined)) {
        this.#root.replaceChildren();
        return;
      }
      const options = { profile: this.getAttribute('profile') ?? 'raw' };
      const asked = [given ?? sensor.sense(talk, options), masked ?? sensor?.shown(talk)];
      // Sensors of a worker answer later; those of the page at once, so that nothing flickers while somebody types.
      const [reading, shown] = asked.some((one) => typeof one?.then === 'function') ? await Promise.all(asked) : asked;
      if (own !== this.#due) return;
      const effects = this.effects ?? {};
      const markers = sensor?.markers ?? Object.keys(reading.resonance);
      const turns = highlight(shown ?? talk, reading, { effects, markers });
      this.#measured = reading;
      this.#root.replaceChildren(...turns.map(paragraph), ...this.#below(reading, markers, effects));
      this.dispatchEvent(new CustomEvent('sonometer-reading', { detail: reading }));
    } catch (error) {
      if (own !== this.#due) return;
      // The text of an error may repeat what is masked, so it goes to the page's script only.
      this.#measured = undefined;
      this.#root.replaceChildren(element('p', { class: 'note', role: 'status' }, 'This talk cannot be shown.'));
      this.dispatchEvent(new CustomEvent('sonometer-error', { detail: error }));
    }
  }

  #below(reading, markers, effects) {
    if (!reading.fidelity.sufficient) {
      return [element('p', { class: 'note', part: 'note' }, insufficient(reading.fidelity))];
    }
    if (this.getAttribute('legend') === 'none') return [];
    const toned = tones(markers, effects);
    const found = markers.filter((marker) => reading.evidence.some(({ metamarker }) => metamarker === marker));
    const entry = (marker) => {
      const { effect, hue, line } = toned.get(marker);
      const [sign, told] = POLES[effect];
      const swatch = coloured(element('mark', { class: `evidence ${effect}` }, marker), hue, line);
      const figure = element('span', { class: 'figure' }, String(Math.round(reading.resonance[marker] * 1000) / 1000));
      return element('li', {}, swatch, ` ${sign} `, element('span', { class: 'aside' }, `${told}, `), figure);
    };
    return found.length === 0 ? [] : [element('ul', { part: 'legend', 'aria-label': 'Markers found' }, ...found.map(entry))];
  }
}

/** Why nothing was measured. */
function insufficient({ roles_asked: asked, roles_seen: seen }) {
  if (asked === undefined) return 'Too little to measure: a longer or more readable text is needed.';
  return `Nothing to measure: turns of ${asked.join(' or ')} are needed, and these are of ${seen.join(' and ') || 'nobody'}.`;
}

function paragraph({ role, parts }) {
  // What is said decides the direction of the line, whatever the direction of the role.
  const head = role === undefined ? [] : [element('span', { class: 'role', part: 'role', dir: 'auto' }, role)];
  return element('p', { part: 'turn', dir: 'auto' }, ...head, ...parts.map(part));
}

/** One part. The mark of the strongest kind gives the colour; all of them are named. */
function part({ text, masked, marks }) {
  const [first] = ['evidence', 'against', 'weak'].flatMap((kind) => marks.filter((mark) => mark.kind === kind));
  const hidden = masked ? [element('span', { class: 'masked', part: 'masked' }, text === '' ? '[…]' : text)] : [text];
  if (first === undefined) return masked ? hidden[0] : text;
  const told = [...new Set(marks.map(({ metamarker, kind, effect }) => `${metamarker}, ${POLES[effect][1]}${KINDS[kind]}`))].join('; ');
  const attributes = { class: `${first.kind} ${first.effect}`, part: 'mark', title: told };
  return coloured(element('mark', attributes, ...hidden, element('span', { class: 'aside' }, ` (${told})`)), first.hue, first.line);
}

/** Set by script: a strict content security policy allows no `style` attribute in markup. */
function coloured(mark, hue, line) {
  mark.style.setProperty('--h', String(hue));
  mark.style.setProperty('--style', line);
  return mark;
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

if (globalThis.customElements !== undefined && customElements.get('sonometer-talk') === undefined) {
  customElements.define('sonometer-talk', SonometerTalk);
}
