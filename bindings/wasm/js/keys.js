// Keys of Ed25519 as texts: 64 hexadecimal digits, one a line, as the key files of `sonometer dive keygen`; or the JSON that a
// service answers to `GET /api/v1/keys`.
import { unbase64 } from './base64.js';
import { SonometerError } from './errors.js';
import { wantText } from './interaction.js';
import { kind } from './kind.js';

/** 2^255 - 19, and the constant of the curve: x and y of a point fulfil y² - x² = 1 + D x² y². */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** The public keys of a text, of bytes, or of a list of these. `idOf` makes the id of a key. */
export async function publicKeys(keys, idOf) {
  const text = textOf('keys', keys);
  const found = text.trimStart().startsWith('{') ? await toldKeys(text, idOf) : lines(text).map(({ digits, line }) => wantKey(bytesOf(digits, line, 'a public key'), line));
  if (found.length === 0) throw badKey(1, 'there is no key');
  return found;
}

/** The keys of an answer of `GET /api/v1/keys`, retired ones too; those of other algorithms are for other signatures. */
async function toldKeys(text, idOf) {
  const found = [];
  for (const [at, told] of answered(text).entries()) {
    if (told.algorithm !== 'Ed25519') continue;
    const bytes = unbase64(told.public_key);
    if (bytes?.length !== 32) throw badKey(1, `\`keys[${at}].public_key\` is not 32 bytes in base64url without padding`);
    const id = await idOf(wantKey(bytes, 1));
    if (id !== told.key_id) throw badKey(1, `\`keys[${at}].key_id\` is not the id of its key, which is \`${id}\``);
    found.push(bytes);
  }
  return found;
}

function answered(text) {
  const isTold = (told) => ['key_id', 'algorithm', 'public_key'].every((key) => typeof told?.[key] === 'string');
  try {
    const { keys } = JSON.parse(text);
    if (Array.isArray(keys) && keys.every(isTold)) return keys;
  } catch {
    // Told below.
  }
  throw badKey(1, 'is not an answer of `GET /api/v1/keys`: {"keys":[{"key_id":…,"algorithm":…,"public_key":…},…]}');
}

function wantKey(bytes, line) {
  if (!isPoint(bytes) || isSmall(bytes)) throw badKey(line, 'not a valid public key');
  return bytes;
}

/** The 32 secret bytes of a text or of bytes. */
export function secretKey(key) {
  const [first, ...more] = lines(textOf('secretKey', key));
  if (first === undefined) throw badKey(1, 'there is no key');
  const bytes = bytesOf(first.digits, first.line, 'a signing key');
  if (more.length > 0) throw badKey(1, 'the file has several keys; give a file with one');
  return bytes;
}

/** Whether these 32 bytes are a point of a small group: whatever is signed, such a signature can be made to fit. */
export function isSmall(bytes) {
  const square = yOf(bytes) ** 2n % P;
  // y is 0, 1 or -1, or that of the points of order 8.
  return square === 0n || square === 1n || (D * square * square + 2n * square - 1n) % P === 0n;
}

export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether these 32 bytes are a point at all: (y² - 1) / (D y² + 1) must be a square. */
function isPoint(bytes) {
  const square = yOf(bytes) ** 2n % P;
  let base = ((square + P - 1n) * (D * square + 1n)) % P;
  let power = 1n;
  for (let exponent = (P - 1n) / 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) power = (power * base) % P;
    base = (base * base) % P;
  }
  return power <= 1n;
}

function yOf(bytes) {
  return (BigInt(`0x${hex(Uint8Array.from(bytes).reverse())}`) & (2n ** 255n - 1n)) % P;
}

function textOf(place, keys) {
  if (keys instanceof Uint8Array) return hex(keys);
  if (Array.isArray(keys)) return keys.map((key, at) => textOf(`${place}[${at}]`, key)).join('\n');
  if (typeof keys !== 'string') {
    throw new SonometerError('invalid_request', `a text of 64 hexadecimal digits or 32 bytes are needed, not ${kind(keys)}`, place);
  }
  wantText(place, keys);
  return keys;
}

/** The lines that hold a key, by their numbers. */
function lines(text) {
  const all = text.split('\n').map((line, at) => ({ digits: line.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, ''), line: at + 1 }));
  return all.filter(({ digits }) => digits !== '' && !digits.startsWith('#'));
}

function bytesOf(digits, line, what) {
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw badKey(line, `is not ${what}: 64 hexadecimal digits; \`sonometer dive keygen\` makes one`);
  return Uint8Array.from(digits.match(/../g), (pair) => Number.parseInt(pair, 16));
}

function badKey(line, message) {
  return new SonometerError('invalid_key', message, `line ${line}`);
}
