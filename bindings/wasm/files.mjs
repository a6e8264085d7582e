// `files.mjs CATALOGUE FOLDER`: copies the protocols that the module does not hold (the feature `all` of the catalogue) and their list
// files into `protocols` of the folder, and prints the module `names.js`, which says what they are.
import { cpSync, readFileSync } from 'node:fs';

const [, , from, to] = process.argv;
const entry = /cfg\(feature = "all"\)\]\s*entry!\(\s*"protocols",\s*"([^"]+)" @ "([^"]+)"([^)]*)\)/g;
const source = readFileSync(`${from}/src/lib.rs`, 'utf8');
const files = {};
for (const [, id, version, rest] of source.matchAll(entry)) {
  const lists = [...rest.matchAll(/"([^"]+)"/g)].map(([, path]) => path);
  // List files have a notice beside them of whose data they are.
  const notices = [...new Set(lists.map((path) => `${path.split('/')[0]}/NOTICE`))];
  for (const path of [`${id}@${version}.yaml`, ...lists, ...notices]) cpSync(`${from}/protocols/${path}`, `${to}/protocols/${path}`);
  (files[id] ??= {})[version] = lists;
}
// Of these the module has a version that is meant where none is named, or there are drafts alone, which are found by their version only.
const inModule = source.replace(/#\[cfg\(feature = "all"\)\]\s*entry!/g, '');
const isDraft = (id) => Object.keys(files[id]).every((version) => version.startsWith('0.'));
const newestHeld = (id) => [...inModule.matchAll(new RegExp(`    entry!\\("protocols", "${id}" @ "([^"]+)"`, 'g'))].at(-1)?.[1];
const held = Object.keys(files).filter((id) => isDraft(id) || newestHeld(id) !== undefined);
// The table has them from the oldest to the newest.
const isNewer = (id) => newestHeld(id) !== undefined && source.lastIndexOf(`"${id}" @ "${Object.keys(files[id]).at(-1)}"`) > source.lastIndexOf(`"${id}" @ "${newestHeld(id)}"`);
const newer = held.filter(isNewer);
console.log(`export const FILES = ${JSON.stringify(files)};\nexport const HELD = ${JSON.stringify(held)};\nexport const NEWER = ${JSON.stringify(newer)};`);
