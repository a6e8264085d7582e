// What ships, and which engine this is.
import { call } from './engine.js';
import { table } from './held.js';

const FACTS = ['kind', 'id', 'version', 'name', 'status', 'description', 'source'];

/** Every protocol, metric and blueprint that ships. */
export function catalog() {
  return table(
    FACTS,
    call((engine) => engine.catalog()),
  );
}

/** The engine and its tables. Two engines that say the same give the same bytes. */
export function fingerprint() {
  return call((engine) => engine.fingerprint());
}
