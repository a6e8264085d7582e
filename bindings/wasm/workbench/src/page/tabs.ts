// Tabs by mouse and by arrow keys, as the ARIA practices have them.

export interface Tabs {
  readonly current: () => string;
  show(name: string): void;
}

export function tabs(list: HTMLElement, changed: (name: string) => void): Tabs {
  const all = [...list.querySelectorAll<HTMLButtonElement>('[role=tab]')];
  const name = (tab: HTMLElement) => tab.id.replace('tab-', '');
  const show = (next: HTMLButtonElement) => {
    for (const tab of all) {
      const isNext = tab === next;
      tab.setAttribute('aria-selected', String(isNext));
      tab.tabIndex = isNext ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel !== null) panel.hidden = !isNext;
    }
    changed(name(next));
  };
  list.addEventListener('click', ({ target }) => {
    const tab = (target as HTMLElement).closest<HTMLButtonElement>('[role=tab]');
    if (tab !== null) show(tab);
  });
  list.addEventListener('keydown', (event) => {
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: all.length - 1 - at }[event.key];
    if (at === -1 || step === undefined) return;
    event.preventDefault();
    const next = all[(at + step + all.length) % all.length];
    next?.focus();
    if (next !== undefined) show(next);
  });
  return {
    current: () => name(all.find((tab) => tab.getAttribute('aria-selected') === 'true') ?? list),
    show(wanted) {
      const tab = all.find((one) => name(one) === wanted);
      if (tab !== undefined) show(tab);
    },
  };
}
