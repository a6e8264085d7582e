// What stands under the pointer, explained by the engine, and what a code of `check` means.
import { hoverTooltip } from '@codemirror/view';
import type { About, Section } from '../shared/asks.js';
import { fill, h } from './dom.js';
import { markdown } from './markdown.js';

export function hover(ask: (at: number) => Promise<About | undefined>) {
  return hoverTooltip(async (_view, pos) => {
    const about = await ask(pos);
    if (about === undefined) return null;
    const { from, to, text } = about;
    return { pos: from, end: to, above: true, create: () => ({ dom: h('div', { class: 'tip' }, ...markdown(text)) }) };
  });
}

/** The page about a code, as `sonometer explain` shows it; asked for when it is opened. */
export function aboutCode(code: string, ask: (code: string) => Promise<Section | undefined>): HTMLElement {
  const body = h('div');
  const open = async () => {
    const own = await ask(code);
    if (own === undefined) return;
    fill(
      body,
      markdown(own.meaning),
      h('p', { class: 'dim' }, 'For example'),
      h('pre', { class: 'wrong' }, own.example.trimEnd()),
      h('p', { class: 'dim' }, 'Corrected'),
      h('pre', {}, own.mended.trimEnd()),
    );
  };
  return h('details', { class: 'about', ontoggle: () => void open() }, h('summary', {}, `What ${code} means`), body);
}
