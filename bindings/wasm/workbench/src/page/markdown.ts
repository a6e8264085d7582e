// The little Markdown in which the engine explains: paragraphs, rules between them, code, bold words and links.
import { h } from './dom.js';

/** As elements; a link is its text alone, since it leads into the book. */
export function markdown(text: string): HTMLElement[] {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
  return paragraphs.map((paragraph) => (paragraph.trim() === '---' ? h('hr') : h('p', {}, ...pieces(paragraph.replace(/\s+/g, ' ')))));
}

function pieces(text: string): (Node | string)[] {
  const found: (Node | string)[] = [];
  let end = 0;
  for (const part of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)]*\)/g)) {
    const [whole, code, bold, link] = part;
    found.push(text.slice(end, part.index));
    if (code !== undefined) found.push(h('code', {}, code));
    else if (bold !== undefined) found.push(h('b', {}, bold));
    else found.push(...pieces(link ?? ''));
    end = part.index + whole.length;
  }
  found.push(text.slice(end));
  return found.filter((piece) => piece !== '');
}
