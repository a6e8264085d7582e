// "Why 0.652?": the computation behind a number, as `sonometer sense --explain` prints it, cut to what was asked about.
import { h } from './dom.js';
import type { Why } from './reading.js';

interface Block {
  readonly head: string;
  readonly lines: readonly string[];
}

/** The paragraphs of a ledger: each begins with two spaces and a name. */
export function blocks(ledger: string): Block[] {
  const found: { head: string; lines: string[] }[] = [];
  for (const line of ledger.split('\n')) {
    const head = /^ {2}(\S+)/.exec(line)?.[1];
    if (head !== undefined) found.push({ head, lines: [line] });
    else if (line.trim() !== '') found.at(-1)?.lines.push(line);
  }
  return found;
}

/** The parts of a ledger that answer a question. */
export function answer(ledger: string, why: Why, reference: string): string {
  const all = blocks(ledger);
  const text = (picked: readonly Block[]) =>
    picked
      .flatMap(({ lines }) => lines)
      .map((line) => line.replace(/^ {2}/, ''))
      .join('\n');
  if (why.of === 'fidelity') return text(all.filter(({ head }) => ['fidelity', 'density', 'clarity'].includes(head)));
  if (why.of === 'score') {
    const markers = all.filter(({ head }) => !['computation', 'fidelity', 'density', 'clarity', 'score'].includes(head));
    return `${text(all.filter(({ head }) => head === 'score'))}\n\n${text(markers)}`;
  }
  const { marker } = why;
  const id = reference.split('@')[0] ?? '';
  // In metrics and blueprints the keys of markers begin with their protocol.
  const labels = [marker, marker.replace(new RegExp(`^${id}[./:]`), '')];
  const own = all.filter(({ head }) => labels.includes(head));
  return own.length === 0 ? '' : text(own);
}

export function whyView(ledgers: readonly (readonly [string, string])[], why: Why): HTMLElement {
  const told = ledgers.map(([reference, ledger]) => ({ reference, text: answer(ledger, why, reference) })).filter(({ text }) => text.trim() !== '');
  if (told.length === 0) return h('p', {}, 'No line of this marker matches anything in the talk, so it adds nothing.');
  return h(
    'div',
    {},
    told.map(({ reference, text }) => h('div', {}, told.length > 1 ? h('h3', {}, reference) : null, h('pre', { class: 'ledger' }, text))),
    h('p', { class: 'dim' }, 'Each line: what a match added, its list, the pattern, where it stands, and the words it found.'),
  );
}
