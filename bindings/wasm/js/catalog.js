// What ships, and which engine this is.
import { call } from './engine.js';
import { freeze } from './errors.js';

const FACTS = ['kind', 'id', 'version', 'name', 'status', 'description', 'source'];

/** Every protocol, metric and blueprint that ships. */
export function catalog() {
  const told = call((engine) => engine.catalog());
  const entries = [];
  for (let at = 0; at < told.length; at += FACTS.length) {
    entries.push(Object.fromEntries(FACTS.map((fact, offset) => [fact, told[at + offset]])));
  }
  return freeze(entries);
}

/** The engine and its tables. Two engines that say the same give the same bytes. */
export function fingerprint() {
  return call((engine) => engine.fingerprint());
}
