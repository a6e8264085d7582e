// The vectors of the repository as cases with what is expected, for tests that do not wait for `cargo xtask doors`.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Interaction } from 'sonometer';

const folders = ['fixtures/vectors', 'fixtures/regressions'];

/** Every vector: `{name, target, shelf, interaction, interaction_b, view, feed, expect}`. */
export function allCases(root) {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.jsonl'))
      .sort()
      .flatMap((file) => casesOf(file, readFileSync(join(root, folder, file), 'utf8'))),
  );
}

/** Every vector of dives and cards: `{name, dive or card, expect}`. */
export function diveCases(root) {
  const folder = join(root, 'fixtures/dives');
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl')).sort();
  return files.flatMap((file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter((line) => line !== '');
    return lines.map((line, at) => {
      const one = JSON.parse(line);
      return { ...one, name: `${file}:${at + 1} ${one.name}` };
    });
  });
}

/** The same through a session, in each way; comparisons and what cannot be read are left out. */
export function inSessions(one) {
  try {
    Interaction.parse(one.interaction);
  } catch {
    return [];
  }
  if (one.interaction_b !== null || typeof one.expect !== 'string') return [];
  return ['byte', 'token', 'segment'].map((feed) => ({ ...one, name: `${one.name}, by ${feed}`, feed }));
}

function casesOf(file, text) {
  const defined = new Map();
  const cases = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const raw = members(line);
    const parsed = JSON.parse(line);
    const key = ['protocol', 'metric', 'blueprint'].find((name) => raw.has(name));
    // A text holds the source; of anything else it is the source as it stands in the line.
    const source = (name) => (typeof parsed[name] === 'string' ? parsed[name] : raw.get(name));
    if (parsed.define !== undefined) {
      defined.set(parsed.define, source(key));
      continue;
    }
    cases.push({
      name: `${file}:${at + 1} ${parsed.name}`,
      target: key === 'protocol' && typeof parsed.protocol === 'string' ? defined.get(parsed.protocol) : source(key),
      shelf: key === 'protocol' ? [] : [...defined.values()],
      interaction: source('interaction'),
      interaction_b: raw.has('interaction_b') ? source('interaction_b') : null,
      view: view(parsed.view ?? {}),
      feed: 'whole',
      expect: parsed.expect ?? parsed.error,
    });
  }
  return cases;
}

function view({ profile = 'raw', offsets = null, flow = false, temporal = false }) {
  return {
    profile,
    offsets,
    flow: flow === false ? null : { primary: flow === true ? null : flow },
    temporal: temporal === false ? null : { window: temporal === true ? null : String(temporal) },
  };
}

/** The members of a JSON object, each value as it is written. */
function members(json) {
  const found = new Map();
  let depth = 0;
  let key;
  let start;
  for (let at = 0; at < json.length; at += 1) {
    const c = json[at];
    if (c === '"') {
      const from = at;
      for (at += 1; json[at] !== '"'; at += 1) if (json[at] === '\\') at += 1;
      if (depth === 1 && key === undefined) key = JSON.parse(json.slice(from, at + 1));
    } else if (c === '{' || c === '[') {
      depth += 1;
    } else if (c === ':' && depth === 1) {
      start = at + 1;
    } else if ((c === ',' && depth === 1) || (c === '}' && depth === 1)) {
      if (key !== undefined) found.set(key, json.slice(start, at).trim());
      key = undefined;
    }
    if (c === '}' || c === ']') depth -= 1;
  }
  return found;
}

/** Whether an answer is what a case expects: the same bytes, or an error of the same code and place. */
export function isRight(expect, answer) {
  if (typeof expect === 'string') return answer === expect;
  const { code, place } = JSON.parse(answer);
  return code === expect.code && place === expect.place;
}
