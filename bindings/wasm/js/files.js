// Protocols of the catalogue that are not in the module but files of the package: `protocols/ID@VERSION.yaml`.
import { SonometerError, invalid } from './errors.js';
import { FILES, HELD } from './names.js';

/**
 * How files of the package are read here: `read` by path, now or later; `now` if without waiting. In Node there are also `newer`, the ids
 * of which a file is newer than what the module holds, and `meant`, which suggests one of the files in a message; browsers would have to
 * fetch it with every page.
 */
let here;

export function readFilesBy(given) {
  here = given;
}

/** Whether files are read without waiting. */
export function readsNow() {
  return here.now;
}

/** The path of the file for `id` (its newest version) or `id@version`; `undefined` if no file is named so. */
export function fileNamed(name) {
  const [id, version] = name.split(/@(.*)/s);
  const versions = versionsOf(id);
  const found = version === undefined ? versions.at(-1) : versions.find((one) => one === version);
  if (version === undefined && HELD.includes(id) && !here.newer?.includes(id)) return undefined;
  if (found === undefined && versions.length > 0 && !HELD.includes(id)) {
    throw new SonometerError('target_not_found', `\`${id}\` has no version \`${version}\`; there is ${versions.join(', ')}`, 'target');
  }
  return found && `protocols/${id}@${found}.yaml`;
}

/** The same error with what is there as files of the package: the engine knows only what the module holds. */
export function withFiles(error, name) {
  if (error.code !== 'target_not_found') return error;
  const [id, version] = name.split('@');
  const versions = versionsOf(id);
  let message = here.meant?.(error.message, id, FILES) ?? error.message;
  if (versions.length > 0 && version === undefined) message = `\`${id}\` has no published version; ask for a draft by name, as \`${id}@${versions.at(-1)}\``;
  const all = versions.length > 0 ? versions : Object.keys(FILES);
  message = message.replace(/there is (.*)/s, (_, held) => `there is ${[...new Set([...held.split(', '), ...all])].sort().join(', ')}`);
  return new SonometerError(error.code, message, error.place);
}

function versionsOf(id) {
  return Object.hasOwn(FILES, id) ? Object.keys(FILES[id]) : [];
}

/** The paths of the list files of such a protocol, below the same folder. */
export function listPaths(path) {
  const [id, version] = path.slice('protocols/'.length, -'.yaml'.length).split('@');
  return FILES[id][version];
}

/** The text of a file of the package. */
export function fileText(path) {
  return here.read(path);
}

/** The error of a file that cannot be read. */
export function unreadable(address, why, cause) {
  const fix = 'let your bundler or server copy the folder `protocols` of the package, or read the file yourself and use `Sensor.fromSource`';
  return invalid('name', `${address} cannot be read (${why}); ${fix}`, {}, { cause });
}
