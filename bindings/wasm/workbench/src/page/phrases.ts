// Colours of the phrase language inside a protocol: patterns, lists, and the roles before lines of talk.
import { syntaxTree } from '@codemirror/language';
import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';

/** Keys whose values are patterns. */
const PATTERNS = new Set(['strong', 'clear', 'weak', 'weigh', 'except', 'absent', 'any', 'then', 'to']);
/** Keys whose values are lines of talk. */
const TALK = new Set(['hit', 'miss', 'talk']);

/** One part of a pattern and what it is, the first that fits. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\s)#(?: .*)?$/y, 'comment'],
  [/\\./y, 'escape'],
  [/\/(?:\\.|[^/\\\n])+\/i?(?=\s|$|[)|}])/y, 'regex'],
  [/"(?:\\.|[^"\\])*"/y, 'exact'],
  [/<[a-z_]+>/y, 'class'],
  [/@[a-z0-9_-]+/y, 'list'],
  [/\.\.\d+\.\.|\.\.\./y, 'gap'],
  [/&\d+/y, 'gap'],
  [/=\s*-?\d+(?:\.\d+)?\s*$/y, 'weight'],
  [/[(){}|?~*^$]|%1|(?<=^|\s)_(?=\s|$)/y, 'sign'],
];

export interface Part {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** The parts of a line that have a colour. */
export function partsOf(line: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at < line.length) {
    const found = PARTS.map(([like, kind]) => {
      like.lastIndex = at;
      return { length: like.exec(line)?.[0].length ?? 0, kind };
    }).find(({ length }) => length > 0);
    if (found === undefined) at += 1;
    else {
      parts.push({ from: at, to: at + found.length, kind: found.kind });
      at += found.length;
    }
  }
  return parts;
}

const marks = new Map<string, Decoration>();
function mark(kind: string): Decoration {
  const found = marks.get(kind) ?? Decoration.mark({ class: `ph-${kind}` });
  marks.set(kind, found);
  return found;
}

/** The key of a pair in a map. */
export function keyOf(pair: SyntaxNode, text: (from: number, to: number) => string): string {
  const key = pair.getChild('Key');
  return key === null ? '' : text(key.from, key.to);
}

function decorate(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  const text = (from: number, to: number) => doc.sliceString(from, to);
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: ({ name, node }) => {
        if (name !== 'BlockLiteralContent' && name !== 'Literal' && name !== 'QuotedLiteral') return;
        let pair = node.parent;
        while (pair !== null && pair.name !== 'Pair') pair = pair.parent;
        if (pair === null || (pair.getChild('Key')?.to ?? 0) >= node.to) return;
        const key = keyOf(pair, text);
        const isList = insideLists(pair, text);
        if (!PATTERNS.has(key) && !TALK.has(key) && !isList) return;
        const first = Math.max(node.from, from);
        const last = Math.min(node.to, to);
        for (let at = doc.lineAt(first).from; at <= last; at = doc.lineAt(at).to + 1) {
          const line = doc.lineAt(at);
          const start = Math.max(line.from, node.from);
          const own = doc.sliceString(start, Math.min(line.to, node.to));
          if (TALK.has(key)) {
            const role = /^\s*(#.*|[\w .-]{1,32}:)(?= |$)/.exec(own);
            const [whole = '', head = ''] = role ?? [];
            if (role !== null) builder.add(start + whole.length - head.length, start + whole.length, mark(head.startsWith('#') ? 'comment' : 'role'));
          } else {
            for (const part of partsOf(own)) builder.add(start + part.from, start + part.to, mark(part.kind));
          }
          if (line.to >= doc.length) break;
        }
      },
    });
  }
  return builder.finish();
}

/** Whether a pair is an entry of the map `lists`. */
function insideLists(pair: SyntaxNode, text: (from: number, to: number) => string): boolean {
  const outer = pair.parent?.parent;
  return outer?.name === 'Pair' && keyOf(outer, text) === 'lists';
}

export const phraseColours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged || syntaxTree(update.startState) !== syntaxTree(update.state)) {
        this.decorations = decorate(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
