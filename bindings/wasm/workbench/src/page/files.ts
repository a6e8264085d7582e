// Opening and dropping files: protocols, talks, list files, many talks, cards.
import type { Talk } from '../shared/asks.js';

export type Found =
  | { readonly kind: 'protocol' | 'list' | 'text' | 'corpus' | 'card' | 'log' | 'stage'; readonly name: string; readonly text: string }
  | { readonly kind: 'talk'; readonly name: string; readonly talk: Talk };

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
  } catch {
    return { kind: 'protocol', name, text };
  }
  if (Array.isArray(value)) {
    const isTurns = value.every((one: unknown) => typeof (one as { role?: unknown }).role === 'string');
    return isTurns ? { kind: 'talk', name, talk: value as Talk } : { kind: 'corpus', name, text };
  }
  const own = value as Record<string, unknown>;
  if ('sonometer_stagecard' in own) return { kind: 'card', name, text };
  if ('sonometer_stage' in own) return { kind: 'stage', name, text };
  if (Object.keys(own).some((key) => key.startsWith('sonometer'))) return { kind: 'protocol', name, text };
  const inner = (own['interaction'] ?? own) as Record<string, unknown>;
  const { segments, messages, content } = inner;
  if (Array.isArray(segments ?? messages)) return { kind: 'talk', name, talk: (segments ?? messages) as Talk };
  return typeof content === 'string' ? { kind: 'talk', name, talk: content } : { kind: 'corpus', name, text };
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
