// Cards under signature: `ed25519:{key id}:{base64url}` over the canonical card without its signature. The bytes come from
// the engine, the arithmetic from WebCrypto: in the module it would have to be fetched by everybody.
import { base64, unbase64 } from './base64.js';
import { StageCard } from './card.js';
import { SonometerError } from './errors.js';
import { hex, isSmall, publicKeys, secretKey as secretBytes } from './keys.js';

/** What stands before the 32 secret bytes of a key in PKCS #8 (RFC 8410). */
const PKCS8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/** Reads a card and checks its signature; gives the card, or fails with what does not hold. */
export async function verifyCard(card, keys) {
  const read = card instanceof StageCard ? card : StageCard.read(card);
  const known = await publicKeys(keys, idOf);
  const { id, bytes } = parts(read.signature);
  let key;
  for (const one of known) {
    key = (await idOf(one)) === id ? one : undefined;
    if (key !== undefined) break;
  }
  if (key === undefined) throw wrong(`is by the key \`${id}\`, which is not among the given keys`);
  const imported = await imports('raw', key, ['verify']);
  const signed = new TextEncoder().encode(read.signedJson());
  if (isSmall(bytes.subarray(0, 32)) || !(await subtle().verify('Ed25519', imported, bytes, signed))) {
    throw wrong('does not match this card: it was changed after it was signed; replay it to see what changed');
  }
  return read;
}

/** The card with a signature; one that is there is replaced. The same card and key give the same bytes. */
export async function signCard(card, secretKey) {
  const read = card instanceof StageCard ? card : StageCard.read(card);
  const key = await imports('pkcs8', Uint8Array.of(...PKCS8, ...secretBytes(secretKey)), ['sign']);
  const { x } = await subtle().exportKey('jwk', key);
  const signature = await subtle().sign('Ed25519', key, new TextEncoder().encode(read.signedJson()));
  return read.withSignature(`ed25519:${await idOf(unbase64(x))}:${base64(new Uint8Array(signature))}`);
}

function subtle() {
  const found = globalThis.crypto?.subtle;
  if (found === undefined) {
    throw new SonometerError('not_supported', 'WebCrypto is missing, which signs and verifies; pages have it over https and on localhost');
  }
  return found;
}

async function imports(format, bytes, uses) {
  try {
    return await subtle().importKey(format, bytes, 'Ed25519', true, uses);
  } catch (cause) {
    if (cause instanceof SonometerError) throw cause;
    const message = 'this WebCrypto has no Ed25519 (browsers have it since 2025, Node since 18.4); verify the card elsewhere, or replay it';
    throw new SonometerError('not_supported', message, '', {}, { cause });
  }
}

/** The first 16 hexadecimal digits of the SHA-256 of a public key. */
async function idOf(key) {
  return hex(new Uint8Array(await subtle().digest('SHA-256', key)).subarray(0, 8));
}

/** The key and the 64 bytes of a signature. */
function parts(signature) {
  if (signature === undefined) throw wrong('the card is not signed');
  const [kind, id, code, ...more] = signature.split(':');
  if (kind !== 'ed25519' || code === undefined || more.length > 0) throw wrong('is not of the form `ed25519:{key id}:{base64url}`');
  const bytes = unbase64(code);
  if (bytes?.length !== 64) throw wrong('its last part is not 64 bytes in base64url without padding');
  return { id, bytes };
}

function wrong(message) {
  return new SonometerError('card_mismatch', message, 'signature');
}
