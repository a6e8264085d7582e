// Where in a protocol a place of its text is: the keys above it, by indentation, which also holds while a line is being typed.

export interface YamlPlace {
  /** The keys from the outermost map to the one that holds this line. */
  readonly path: readonly string[];
  /** The key on this line, before the place. */
  readonly key: string | undefined;
  /** What stands on the line from the beginning of the key or value to the place. */
  readonly word: string;
}

/** Of lines, the last of which ends at the place. */
export function placeIn(before: string): YamlPlace {
  const lines = before.split('\n');
  const last = lines.pop() ?? '';
  const own = /^(\s*(?:- )*)(.*)$/.exec(last);
  const indent = own?.[1]?.length ?? 0;
  const rest = own?.[2] ?? '';
  const path: string[] = [];
  let least = indent;
  for (let at = lines.length - 1; at >= 0 && least > 0; at -= 1) {
    const line = lines[at] ?? '';
    const [, lead = '', name] = /^(\s*(?:- )*)([\w-]+):(?: |$)/.exec(line) ?? /^(\s*(?:- )*)/.exec(line) ?? [];
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const dash = lead.indexOf('-');
    // An item of a list may stand as far left as the key above it.
    const outer = dash === -1 ? lead.length : dash + 1;
    if (name !== undefined && lead.length < least) {
      path.unshift(name);
      least = outer;
    } else if (dash !== -1) least = Math.min(least, outer);
  }
  const key = /^([\w-]+):(?: |$)/.exec(rest)?.[1];
  return { path, key, word: key === undefined ? rest : rest.slice(key.length + 1).trimStart() };
}
