// Options, checked strictly: a name that is not known is an error, not ignored.
import { invalid } from './errors.js';
import { kind } from './interaction.js';

const PROFILES = ['raw', 'detailed', 'discovery'];
const UNITS = ['bytes', 'chars', 'utf16'];

// The bits of src/ask.rs.
const OFFSETS = 2;
const FLOW = 1 << 4;
const TEMPORAL = 1 << 5;

// The fewest bytes of a key of masks; of none, the engine could not tell that there was one.
const FEWEST = 16;

const DEFAULT = Object.freeze({ bits: (UNITS.indexOf('utf16') + 1) << OFFSETS, primary: undefined, window: undefined, rate: undefined, masks: undefined });

/** The names of what is asked of sensing. */
export const NAMES = ['profile', 'offsets', 'flow', 'temporal', 'usdPerIcs', 'mask', 'maskKey'];

/** What is asked of sensing, as the engine takes it. */
export function ask(options) {
  if (options === undefined) return DEFAULT;
  known('options', options, NAMES);
  const { profile = 'raw', offsets = 'utf16', flow = false, temporal = false } = options;
  let bits = PROFILES.indexOf(oneOf('options.profile', profile, PROFILES));
  if (offsets !== false) bits |= (UNITS.indexOf(oneOf('options.offsets', offsets, UNITS, ' or `false`')) + 1) << OFFSETS;
  let primary;
  if (asked('options.flow', flow, ['primary'])) {
    bits |= FLOW;
    primary = flow.primary;
    if (primary !== undefined && typeof primary !== 'string') {
      throw invalid('options.flow.primary', `the name of a role is needed, not ${kind(primary)}`);
    }
  }
  let window;
  if (asked('options.temporal', temporal, ['window'])) {
    bits |= TEMPORAL;
    window = number('options.temporal.window', temporal.window, 'of seconds');
  }
  return { bits, primary, window, rate: rate(options), masks: masks(options) };
}

/** The kind of masks and their key, as one text. */
function masks({ mask = '', maskKey }) {
  if (typeof mask !== 'string') throw invalid('options.mask', `the name of a kind is needed, such as \`label\`, not ${kind(mask)}`);
  if (mask === '' && maskKey === undefined) return undefined;
  if (maskKey !== undefined && !(maskKey instanceof Uint8Array)) {
    throw invalid('options.maskKey', `a Uint8Array of 16 bytes or more is needed, not ${kind(maskKey)}`);
  }
  if (maskKey !== undefined && maskKey.length < FEWEST) {
    throw invalid('options.maskKey', `the key has ${maskKey.length} bytes; give ${FEWEST} or more`);
  }
  const hex = Array.from(maskKey ?? [], (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${mask} ${hex}`;
}

/** The price of one ICS, as text. */
export function rate(options) {
  return number('options.usdPerIcs', options.usdPerIcs, 'of US dollars');
}

export function known(place, options, names) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid(place, `an object is needed, not ${kind(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw invalid(`${place}.${name}`, `unknown option \`${name}\`; there is ${names.join(', ')}`);
  }
  return options;
}

export function oneOf(place, value, names, more = '') {
  if (names.includes(value)) return value;
  const given = typeof value === 'string' ? `\`${value}\`` : kind(value);
  throw invalid(place, `${given} is none of ${names.join(', ')}${more}`);
}

export function flag(place, value) {
  if (typeof value !== 'boolean') throw invalid(place, `\`true\` or \`false\` is needed, not ${kind(value)}`);
  return value;
}

function asked(place, value, names) {
  if (value === true || value === false) return value;
  known(place, value, names);
  return true;
}

function number(place, value, what) {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw invalid(place, `a number ${what} is needed, not ${typeof value === 'number' ? value : kind(value)}`);
  }
  return String(value);
}
