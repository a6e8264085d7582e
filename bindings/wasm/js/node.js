// Node: the module is read from beside this file at the first use, without waiting.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, startLater, startNow } from './engine.js';
import { invalid } from './errors.js';
import { readFilesBy, unreadable } from './files.js';
import { NEWER } from './names.js';
import { messageOf } from './kind.js';

export * from './index.js';

startLater(() => {
  const path = join(__dirname, 'sonometer.wasm');
  let bytes;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const fix = 'leave the package out of your bundle (in esbuild --external:sonometer), let your bundler copy the file, or give its bytes to `init`';
    throw invalid('source', `${path} cannot be read (${messageOf(cause)}); ${fix}`, {}, { cause });
  }
  startNow(bytes);
});

function read(path) {
  const address = join(__dirname, path);
  try {
    return readFileSync(address, 'utf8');
  } catch (cause) {
    throw unreadable(address, messageOf(cause), cause);
  }
}

/** How many letters must be put in, taken out or replaced, and two if neighbours are swapped, to get from one word to the other; `most` at most. */
function edits(a, b, most) {
  if (a === b || most === 0) return a === b ? 0 : 1;
  const [rest, other] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return edits(rest, other, most);
  return 1 + Math.min(edits(rest, other, most - 1), edits(rest, b, most - 1), edits(a, other, most - 1));
}

/** The message with the file that was probably meant; the engine knows only names that the module holds. */
function meant(message, id, files) {
  if (Object.hasOwn(files, id)) return message;
  const like = Object.keys(files).map((file) => [edits(id, file, 2), file]).filter(([far]) => far <= 2);
  const near = like.sort(([a], [b]) => a - b)[0]?.[1] ?? (id.length >= 4 ? Object.keys(files).find((file) => file.startsWith(id)) : undefined);
  return near === undefined ? message : message.replace(/(there is|did you mean) .*/s, `did you mean \`${near}\`?`);
}

readFilesBy({ read, now: true, newer: NEWER, meant });

/** Needed in browsers only. Here it may load the engine from bytes of another place, before the first use. */
export async function init(source) {
  const given = await source;
  if (isRunning() || given === undefined) return;
  try {
    const module = await compiled(given);
    // Who did not wait for this has an engine by now, and sensors in it.
    if (!isRunning()) startNow(module);
  } catch (cause) {
    throw invalid('source', `the engine cannot be loaded (${messageOf(cause)})`, {}, { cause });
  }
}

async function compiled(given) {
  if (given instanceof WebAssembly.Module) return given;
  if (given instanceof URL || typeof given === 'string') return WebAssembly.compile(readFileSync(given));
  const answer = given instanceof Request ? await fetch(given) : given;
  if (!(answer instanceof Response)) return WebAssembly.compile(answer);
  if (!answer.ok) throw new Error(`${answer.url} answers ${answer.status}`);
  return WebAssembly.compile(await answer.arrayBuffer());
}
