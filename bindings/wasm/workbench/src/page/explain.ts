// What stands under the pointer, explained: a finding by its page, a key by the schema, a class or list by what it is.
import { hoverTooltip, type Tooltip } from '@codemirror/view';
import page from '../../../../../crates/sonometer/docs/diagnostics.md';
import { h } from './dom.js';
import { keyAt } from './schema.js';
import { placeIn } from './place.js';
import { partsOf } from './phrases.js';

interface Section {
  readonly title: string;
  readonly meaning: string;
  readonly example: string;
  readonly mended: string;
}

let sections: ReadonlyMap<string, Section> | undefined;

/** The page about a code of `check`, as `sonometer explain` shows it. */
export function section(code: string): Section | undefined {
  sections ??= new Map(
    page
      .split('\n### ')
      .slice(1)
      .flatMap((text) => {
        const [head = '', ...rest] = text.split('\n');
        const [own = '', title = ''] = head.split(': ');
        const [meaning = '', example = '', , mended = ''] = rest.join('\n').split('```');
        const code = (block: string) => block.slice(block.indexOf('\n') + 1).trimEnd();
        return [[own, { title, meaning: plain(meaning), example: code(example), mended: code(mended) }] as const];
      }),
  );
  return sections.get(code);
}

/** Markdown as text: links and code are only their texts. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

export function about(code: string): HTMLElement | null {
  const own = section(code);
  if (own === undefined) return null;
  return h(
    'details',
    { class: 'about' },
    h('summary', {}, `What ${code} means`),
    h('p', {}, own.meaning),
    h('p', { class: 'dim' }, 'For example'),
    h('pre', { class: 'wrong' }, own.example),
    h('p', { class: 'dim' }, 'Corrected'),
    h('pre', {}, own.mended),
  );
}

const SIGNS: Readonly<Record<string, string>> = {
  gap: '..3..: 0 to 3 words in between; a &6 b: both in any order, at most 6 words between',
  exact: 'these very characters, capitals too',
  regex: 'a regular expression on the original text',
  weight: 'what a match adds to the evidence',
};

const CLASSES: Readonly<Record<string, string>> = {
  question: 'this sentence is a question',
  start: 'the beginning of a sentence',
  end: 'the end of a sentence',
  shout: 'words in capitals, or a word followed by !!',
  pan: 'a payment card number with right check digits',
  iban: 'an account number with right check digits',
};

export const explainHover = hoverTooltip((view, pos): Tooltip | null => {
  const line = view.state.doc.lineAt(pos);
  const part = partsOf(line.text).find(({ from, to }) => line.from + from <= pos && pos <= line.from + to);
  const source = view.state.doc.toString();
  const word = /[\w-]*$/.exec(source.slice(0, pos))?.[0] ?? '';
  const end = pos + (/^[\w-]*/.exec(source.slice(pos))?.[0].length ?? 0);
  const own = source.slice(pos - word.length, end);
  if (source[end] === ':' && own !== '') {
    const { path } = placeIn(source.slice(0, pos - word.length));
    const key = keyAt(source, path, own);
    if (key === undefined) return null;
    const example = key.example === undefined ? null : h('p', { class: 'dim' }, `for example ${own}: ${said(key.example)}`);
    const names = key.names.length === 0 ? null : h('p', { class: 'dim' }, `one of ${key.names.join(', ')}`);
    return tip(pos - word.length, end, h('b', {}, own), h('p', {}, key.about), names, example);
  }
  if (part === undefined) return null;
  const text = line.text.slice(part.from, part.to);
  const told =
    part.kind === 'class'
      ? (CLASSES[text.slice(1, -1)] ?? `any ${text.slice(1, -1)}`)
      : part.kind === 'list'
        ? listOf(source, text.slice(1))
        : SIGNS[part.kind];
  return told === undefined ? null : tip(line.from + part.from, line.from + part.to, h('b', {}, text), h('p', {}, told));
});

function tip(pos: number, end: number, ...children: (Node | null)[]): Tooltip {
  return { pos, end, above: true, create: () => ({ dom: h('div', { class: 'tip' }, ...children) }) };
}

function said(example: unknown): string {
  return typeof example === 'string'
    ? example
    : JSON.stringify(example)
        .replace(/"([\w -]+)"/g, '$1')
        .replace(/:(?=\S)/g, ': ')
        .replace(/,(?=\S)/g, ', ');
}

/** The entries of a list, as far as they fit. */
function listOf(source: string, name: string): string | undefined {
  const found = new RegExp(`^[ \\t]+${name}:(.*(?:\\n[ \\t]{4,}.*)*)`, 'm').exec(source)?.[1];
  if (found === undefined) return undefined;
  const entries = found
    .replace(/^\s*\|?\s*/, '')
    .split(/\s*[|\n]\s*/)
    .filter((entry) => entry !== '');
  return `any of ${entries.slice(0, 20).join(', ')}${entries.length > 20 ? ` and ${entries.length - 20} more` : ''}`;
}
