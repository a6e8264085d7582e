// What can be typed at a place of the protocol, as the engine knows it: the same as in the language server.
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import type { Completions, Offered } from '../shared/asks.js';
import { h } from './dom.js';
import { markdown } from './markdown.js';

/** The icons and colours of the editor for what is offered. */
const TYPES: Readonly<Record<Offered['kind'], string>> = {
  required: 'property',
  key: 'property',
  name: 'enum',
  value: 'constant',
  role: 'constant',
  marker: 'variable',
  list: 'variable',
  class: 'class',
  shipped: 'namespace',
};

/** Completion by what `ask` answers; nothing where it answers nothing in time. */
export function completion(ask: (at: number) => Promise<Completions | undefined>): CompletionSource {
  return async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const line = state.doc.lineAt(pos);
    const before = line.text.slice(0, pos - line.from);
    // On a line that is only begun, keys are shown where they are asked for.
    if (!explicit && /^[ -]*$/.test(before)) return null;
    const found = await ask(pos);
    if (found === undefined || found.items.length === 0) return null;
    return { from: found.from, options: found.items.map(option), validFor: /^[\w@.-]*$/ };
  };
}

function option({ label, kind, detail, about, insert }: Offered): Completion {
  return {
    label,
    type: TYPES[kind],
    boost: kind === 'required' ? 1 : 0,
    ...(insert === undefined ? {} : { apply: insert }),
    info: () => h('div', {}, h('p', { class: 'dim' }, detail), ...markdown(about)),
  };
}
