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
// Of these the module has the newest version, or there are drafts alone, which are found by their version only.
const inModule = source.replace(/#\[cfg\(feature = "all"\)\]\s*entry!/g, '');
const isDraft = (id) => Object.keys(files[id]).every((version) => version.startsWith('0.'));
const held = Object.keys(files).filter((id) => isDraft(id) || inModule.includes(`    entry!("protocols", "${id}"`));
console.log(`export const FILES = ${JSON.stringify(files)};\nexport const HELD = ${JSON.stringify(held)};`);
