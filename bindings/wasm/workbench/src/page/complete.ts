// What can be written at a place: keys and their values, lists, classes, markers and roles.
import { snippetCompletion, type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { keyAt, keysAt, type KnownKey } from './schema.js';
import { placeIn } from './place.js';

const PATTERNS = new Set(['strong', 'clear', 'weak', 'weigh', 'except', 'absent', 'any', 'then', 'to', 'lists']);
const ROLES = new Set(['by', 'primary', 'secondary', 'of', 'others']);
const LABELS = new Set(['fires', 'silent', 'marker', 'driven', 'of']);
const CLASSES = [
  'number',
  'money',
  'percent',
  'date',
  'year',
  'time',
  'ordinal',
  'email',
  'url',
  'phone',
  'pan',
  'iban',
  'ip',
  'ssn',
  'zip',
  'shout',
  'question',
  'start',
  'end',
];

export function complete(context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  const source = state.doc.toString();
  const before = source.slice(0, pos);
  const { path, key, word } = placeIn(before);
  const block = path.at(-1) ?? '';
  const within = key ?? block;
  const sign = /[@<][a-z0-9_-]*$/.exec(before)?.[0];
  if ((PATTERNS.has(within) || path.includes('lists')) && sign !== undefined) {
    const names = sign.startsWith('@') ? listNames(source).map((name) => `@${name}`) : CLASSES.map((name) => `<${name}>`);
    return { from: pos - sign.length, options: names.map((label) => ({ label, type: 'variable' })), validFor: /^[@<][a-z0-9_-]*$/ };
  }
  const last = /[\w-]*$/.exec(before)?.[0] ?? '';
  const from = pos - last.length;
  if (!context.explicit && last === '' && key === undefined) return null;
  const here = (names: readonly string[], type: string) => ({ from, options: names.map((label) => ({ label, type })), validFor: /^[\w-]*$/ });
  if (LABELS.has(within) && (key !== undefined || /expect:/.test(before.slice(before.lastIndexOf('\n') + 1))))
    return here(labels(source), 'variable');
  const flow = /(?:^|[{,]\s*)(\w+): ?\[?[^\]}]*$/.exec(before.slice(before.lastIndexOf('\n') + 1));
  if (flow?.[1] !== undefined && LABELS.has(flow[1])) return here(labels(source), 'variable');
  if (key !== undefined && ROLES.has(key)) return here(roles(source), 'constant');
  if (key !== undefined) {
    const names = keyAt(source, path, key)?.names ?? [];
    return names.length === 0 ? null : here(names, 'enum');
  }
  // Within a block of lines no keys can stand.
  if (isLines(before) || word !== last) return null;
  const indent = ' '.repeat(/^(\s*(?:- )*)/.exec(before.slice(before.lastIndexOf('\n') + 1))?.[0].length ?? 0);
  const options = keysAt(source, path).map((known) => option(known, indent));
  return options.length === 0 ? null : { from, options, validFor: /^[\w-]*$/ };
}

function option(key: KnownKey, indent: string): Completion {
  const own: Completion = { label: key.name, type: 'property', info: key.about };
  if (key.lines) return snippetCompletion(`${key.name}: |\n  \${}`, own);
  if (key.deep && Array.isArray(key.example)) return snippetCompletion(`${key.name}:\n  - \${}`, own);
  if (key.deep) return snippetCompletion(`${key.name}: {\${}}`, own);
  return { ...own, apply: `${key.name}: `, boost: indent === '' ? 0 : 1 };
}

/** Whether the place is inside a block `key: |`. */
function isLines(before: string): boolean {
  const lines = before.split('\n');
  const indent = /^\s*/.exec(lines.at(-1) ?? '')?.[0].length ?? 0;
  for (let at = lines.length - 2; at >= 0; at -= 1) {
    const line = lines[at] ?? '';
    const own = /^\s*(?:- )?/.exec(line)?.[0].length ?? 0;
    if (line.trim() === '' || own >= indent) continue;
    return /:\s*\|[-+]?\s*$/.test(line);
  }
  return false;
}

/** The labels of the markers. */
export function labels(source: string): string[] {
  return [...source.matchAll(/^\s*- label: *["']?([\w-]+)/gm)].map(([, label = '']) => label);
}

export function listNames(source: string): string[] {
  const found: string[] = [];
  for (const block of ['lists', 'list_files']) {
    const own = new RegExp(`^${block}:\\s*\\n((?:[ \\t]+.*\\n|\\s*\\n)*)`, 'm').exec(`${source}\n`)?.[1] ?? '';
    const indent = /^[ \t]+/.exec(own)?.[0] ?? '';
    if (indent !== '') found.push(...[...own.matchAll(new RegExp(`^${indent}([\\w-]+):`, 'gm'))].map(([, name = '']) => name));
    const flow = new RegExp(`^${block}:\\s*\\{(.*)\\}`, 'm').exec(source)?.[1] ?? '';
    found.push(...[...flow.matchAll(/([\w-]+):/g)].map(([, name = '']) => name));
  }
  return found;
}

/** The roles that `actants` declares, or else those that markers listen to. */
export function roles(source: string): string[] {
  const values = (key: string) =>
    [...source.matchAll(new RegExp(`\\b${key}: *(?:\\[([^\\]]*)\\]|([^,}\\n#]+))`, 'g'))].flatMap(([, list = '', one = '']) =>
      (list || one).split(','),
    );
  const declared = ['primary', 'secondary', 'others'].flatMap(values);
  const found = (declared.length > 0 ? declared : values('by')).map((name) => name.trim().replace(/^["']|["']$/g, '')).filter((name) => name !== '');
  return found.length === 0 ? ['agent', 'customer'] : [...new Set(found)];
}
