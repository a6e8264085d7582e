// Opening and dropping files: protocols, talks, list files, many talks, cards.

/** A `talk` is JSON that the engine reads. */
export interface Found {
  readonly kind: 'protocol' | 'list' | 'text' | 'corpus' | 'card' | 'log' | 'stage' | 'talk';
  readonly name: string;
  readonly text: string;
}

/** What a file is, by its name and what stands in it. */
export function found(name: string, text: string): Found {
  const file = name.replace(/^.*\//, '');
  if (/\.(ya?ml)$/i.test(file)) return { kind: /^sonometer_stage:/m.test(text) ? 'stage' : 'protocol', name, text };
  if (/\.(csv|tsv)$/i.test(file)) return { kind: 'corpus', name, text };
  if (/\.jsonl$/i.test(file)) return { kind: /^\{"action"|"chain":/m.test(text.slice(0, 400)) ? 'log' : 'corpus', name, text };
  if (/\.json$/i.test(file)) return ofJson(name, text);
  // A plain text of many short lines beside a protocol is a list, but nobody can be sure: it is what the protocol names so.
  return { kind: 'text', name, text };
}

function ofJson(name: string, text: string): Found {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The findings of a protocol say where it is broken. A talk that is broken, perhaps half saved, must not take its place.
    if (/"sonometer/.test(text)) return { kind: 'protocol', name, text };
    throw error;
  }
  if (Array.isArray(value)) {
    const isTurns = value.every((one: unknown) => typeof (one as { role?: unknown }).role === 'string');
    return { kind: isTurns ? 'talk' : 'corpus', name, text };
  }
  const own = value as Record<string, unknown>;
  if ('sonometer_stagecard' in own) return { kind: 'card', name, text };
  if ('sonometer_stage' in own) return { kind: 'stage', name, text };
  if (Object.keys(own).some((key) => key.startsWith('sonometer'))) return { kind: 'protocol', name, text };
  const inner = (own['interaction'] ?? own) as Record<string, unknown>;
  const { segments, messages, content } = inner;
  const isTalk = Array.isArray(segments ?? messages) || typeof content === 'string';
  return isTalk ? { kind: 'talk', name, text: JSON.stringify(inner) } : { kind: 'corpus', name, text };
}

/** The paths of list files that a protocol names. */
export function listFiles(source: string): string[] {
  const block = /^list_files:\s*(\{[^}]*\}|(?:\n[ \t]+.*)+)/m.exec(source)?.[1] ?? '';
  return [...block.matchAll(/:\s*["']?([\w./-]+\.\w+)/g)].map(([, path = '']) => path);
}

/** Whether a dropped name is that of a path. */
export function isNamed(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name.replace(/^.*\//, '')}`) || path === name.replace(/^.*\//, '');
}
