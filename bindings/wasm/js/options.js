// Options, checked strictly: a name that is not known is an error, not ignored.
import { invalid } from './errors.js';
import { kind } from './kind.js';

const PROFILES = ['raw', 'detailed', 'discovery'];
const UNITS = ['bytes', 'chars', 'utf16'];

/** The fewest bytes of a key of masks. */
const FEWEST_KEY_BYTES = 16;

/** The names of what is asked of sensing. */
export const NAMES = ['profile', 'offsets', 'flow', 'temporal', 'usdPerIcs', 'mask', 'maskKey'];

/**
 * What is asked of sensing: a function that makes it in an instance of the engine, anew for each call, which takes it over; it makes
 * nothing where nothing is asked for.
 */
export function ask(options) {
  if (options === undefined) return () => undefined;
  known('options', options, NAMES);
  const { profile = 'raw', offsets = 'utf16', flow = false, temporal = false, mask, maskKey } = options;
  oneOf('options.profile', profile, PROFILES);
  if (offsets !== false) oneOf('options.offsets', offsets, UNITS, ' or `false`');
  const { primary } = asked('options.flow', flow, ['primary']) ?? {};
  if (primary !== undefined && typeof primary !== 'string') {
    throw invalid('options.flow.primary', `the name of a role is needed, not ${kind(primary)}`);
  }
  const window = number('options.temporal.window', asked('options.temporal', temporal, ['window'])?.window, 'of seconds');
  const price = rate(options);
  checkMasks(mask, maskKey);
  return (engine) => {
    const made = new engine.Ask(profile, offsets || undefined);
    if (flow !== false) made.addFlow(primary);
    if (temporal !== false) made.addTemporal(window);
    if (price !== undefined) made.setRate(price);
    if (mask !== undefined) made.setMask(mask);
    if (maskKey !== undefined) made.setMaskKey(maskKey);
    return made;
  };
}

function checkMasks(mask, maskKey) {
  if (mask !== undefined && typeof mask !== 'string') {
    throw invalid('options.mask', `the name of a kind is needed, such as \`label\`, not ${kind(mask)}`);
  }
  if (maskKey !== undefined && !(maskKey instanceof Uint8Array)) {
    throw invalid('options.maskKey', `a Uint8Array of 16 bytes or more is needed, not ${kind(maskKey)}`);
  }
  if (maskKey !== undefined && maskKey.length < FEWEST_KEY_BYTES) {
    throw invalid('options.maskKey', `the key has ${maskKey.length} bytes; give ${FEWEST_KEY_BYTES} or more`);
  }
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

/** The options of something that may also be asked for by `true` alone; `undefined` where it is not. */
function asked(place, value, names) {
  if (value === false) return undefined;
  return value === true ? {} : known(place, value, names);
}

function number(place, value, what) {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw invalid(place, `a number ${what} is needed, not ${typeof value === 'number' ? value : kind(value)}`);
  }
  return String(value);
}
