// Putting a test into a protocol, as text: comments and the form of the rest stay as they are.

/** The source with a line under `hit` or `miss` of a marker; nothing if there is no such marker. */
export function withLine(source: string, label: string, kind: 'hit' | 'miss', line: string): string | undefined {
  const lines = source.split('\n');
  const first = lines.findIndex(
    (own) =>
      new RegExp(`^\\s*- label: *["']?${label}["']?\\s*(#.*)?$`).test(own) || new RegExp(`^\\s+label: *["']?${label}["']?\\s*(#.*)?$`).test(own),
  );
  if (first === -1) return undefined;
  const dash = backToDash(lines, first);
  const column = (/^\s*-\s+/.exec(lines[dash] ?? '')?.[0] ?? '').length;
  const end = endOf(lines, dash, column);
  const indent = ' '.repeat(column);
  const said = escaped(line);
  const key = findKey(lines, dash, end, column, kind);
  if (key === undefined) {
    // After the patterns and other tests: at the end of the marker.
    lines.splice(end, 0, `${indent}${kind}: |`, `${indent}  ${said}`);
    return lines.join('\n');
  }
  const value = (lines[key] ?? '').slice((lines[key] ?? '').indexOf(`${kind}:`) + kind.length + 1).trim();
  const last = endOf(lines, key, column + 1);
  if (value.startsWith('|')) {
    const inner = /^\s*/.exec(lines[key + 1] ?? '')?.[0] ?? `${indent}  `;
    lines.splice(last, 0, `${last > key + 1 ? inner : `${indent}  `}${said}`);
  } else if (value.startsWith('[')) {
    lines[key] = (lines[key] ?? '').replace(/\]\s*$/, `, ${JSON.stringify(said)}]`);
  } else {
    const head = (lines[key] ?? '').slice(0, (lines[key] ?? '').indexOf(`${kind}:`));
    lines.splice(key, 1, `${head}${kind}: |`, `${indent}  ${unquoted(value)}`, `${indent}  ${said}`);
  }
  return lines.join('\n');
}

/** The source with the talk as a dialogue that expects what is found in it now. */
export function withDialogue(source: string, name: string, talk: readonly string[], fires: readonly string[], silent: readonly string[]): string {
  const expect = [fires.length > 0 ? `fires: [${fires.join(', ')}]` : '', silent.length > 0 ? `silent: [${silent.join(', ')}]` : ''].filter(
    (part) => part !== '',
  );
  const own = [
    `  - name: ${JSON.stringify(name)}`,
    '    talk: |',
    ...talk.map((line) => `      ${escaped(line)}`),
    `    expect: {${expect.join(', ')}}`,
  ];
  const lines = source.replace(/\s+$/, '').split('\n');
  const tests = lines.findIndex((line) => /^tests:/.test(line));
  if (tests === -1) return [...lines, 'tests:', ...own, ''].join('\n');
  let end = tests + 1;
  while (end < lines.length && /^\s|^- |^#|^$/.test(lines[end] ?? '')) end += 1;
  const flat = /^- /.test(lines[tests + 1] ?? '');
  lines.splice(end, 0, ...(flat ? own.map((line) => line.slice(2)) : own));
  return `${lines.join('\n')}\n`;
}

/** Lines of talk cannot begin as comments do. */
function escaped(line: string): string {
  const one = line.replace(/\s+/g, ' ').trim();
  return one.startsWith('#') ? `\\${one}` : one;
}

function unquoted(value: string): string {
  if (value.startsWith('"')) {
    try {
      return JSON.parse(value) as string;
    } catch {
      return value;
    }
  }
  return value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value;
}

function backToDash(lines: readonly string[], from: number): number {
  let at = from;
  const column = /^\s*/.exec(lines[from] ?? '')?.[0].length ?? 0;
  while (at > 0 && !/^\s*-\s/.test(lines[at] ?? '')) at -= 1;
  return column === 0 ? from : at;
}

/** The line after the last one below `from` that is indented by `least` or more. */
function endOf(lines: readonly string[], from: number, least: number): number {
  let last = from + 1;
  for (let at = from + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    if ((/^\s*/.exec(line)?.[0].length ?? 0) < least) break;
    last = at + 1;
  }
  return last;
}

/** The line of a key of the map that begins at `dash`. */
function findKey(lines: readonly string[], dash: number, end: number, column: number, key: string): number | undefined {
  for (let at = dash; at < end; at += 1) {
    const line = lines[at] ?? '';
    const own = at === dash ? line.replace(/^(\s*)- /, '$1  ') : line;
    if (new RegExp(`^ {${column}}${key}:(\\s|$)`).test(own)) return at;
  }
  return undefined;
}
