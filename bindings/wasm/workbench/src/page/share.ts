// A link that holds protocol and talk: compressed, in the fragment, which is never sent to a server.

export interface Shared {
  readonly source: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly text: string;
  readonly turns: boolean;
}

/** What a fragment may unpack to: nobody should have to wait for a link that was made to be large. */
const MOST = 4 * 1024 * 1024;
const VERSION = 'w1=';

export async function toFragment(shared: Shared): Promise<string> {
  const packed = await through(new Blob([JSON.stringify(shared)]).stream(), new CompressionStream('deflate-raw'));
  let text = '';
  for (const byte of packed) text += String.fromCharCode(byte);
  return VERSION + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** What a fragment holds; nothing if it is no such fragment. */
export async function fromFragment(fragment: string): Promise<Shared | undefined> {
  const text = fragment.replace(/^#/, '');
  if (!text.startsWith(VERSION)) return undefined;
  const packed = Uint8Array.from(atob(text.slice(VERSION.length).replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const bytes = await through(new Blob([packed]).stream(), new DecompressionStream('deflate-raw'));
  const value = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Shared>;
  if (typeof value.source !== 'string' || typeof value.text !== 'string') throw new Error('the link holds no protocol and talk');
  const { files } = value;
  return { source: value.source, text: value.text, turns: value.turns === true, ...(files === undefined ? {} : { files: textsOf(files) }) };
}

/** The texts of list files: anybody can make a link, so nothing of it is taken on trust. */
function textsOf(files: unknown): Readonly<Record<string, string>> {
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  const entries = typeof files === 'object' && files !== null && !Array.isArray(files) ? Object.entries(files) : undefined;
  if (entries === undefined || !entries.every(isText)) throw new Error('its list files are not texts');
  return Object.fromEntries(entries);
}

async function through(from: ReadableStream<Uint8Array>, by: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const reader = from.pipeThrough(by as ReadableWritablePair<Uint8Array, Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    if (value === undefined) break;
    size += value.length;
    if (size > MOST) throw new Error('the link unpacks to more than 4 MiB');
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
