// Making elements. Texts are set as texts, so nothing that people type becomes markup.

type Child = Node | string | number | null | undefined | false;
type Props = Readonly<Record<string, unknown>>;

/**
 * An element. Properties that begin with `on` are listeners, `style` an object of CSS properties, `data` an object of `data-`
 * attributes; others are attributes: left out where they are `false` or nothing.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, props);
  append(element, children);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly (Child | readonly Child[])[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  set(element, props);
  append(element, children);
  return element;
}

function set(element: HTMLElement | SVGElement, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'style') for (const [key, own] of Object.entries(value as object)) element.style.setProperty(key, String(own));
    else if (name === 'data') Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

function append(element: Element, children: readonly (Child | readonly Child[])[]): void {
  for (const child of children.flat() as Child[]) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === 'number' ? String(child) : child);
  }
}

/** Puts these in the place of what an element holds. */
export function fill(element: Element, ...children: readonly (Child | readonly Child[])[]): void {
  element.replaceChildren();
  append(element, children);
}

/** An element whose content is made anew only where its key has changed: what stays is neither laid out nor painted again. */
export function kept(props: Props = {}): { readonly element: HTMLElement; show(key: unknown, make: () => Child | readonly Child[]): void } {
  const element = h('div', props);
  let shown: string | undefined;
  return {
    element,
    show(key, make) {
      const next = JSON.stringify(key);
      if (next === shown) return;
      shown = next;
      fill(element, make());
    },
  };
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element as T;
}

/** A number as the engine prints it: six decimals at most. */
export function number(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}

export function counted(many: number, thing: string, things = `${thing}s`): string {
  return `${many.toLocaleString('en')} ${many === 1 ? thing : things}`;
}

/** Calls `work` once, some time after the last call. */
export function later(wait: number, work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, wait);
  };
}

/** Gives a text to the reader as a file. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
