// The one dialog of the page.
import { byId, fill } from './dom.js';

export function dialog(title: string, body: Node): HTMLDialogElement {
  const own = byId<HTMLDialogElement>('dialog');
  fill(byId('dialog-title'), title);
  fill(byId('dialog-body'), body);
  byId('dialog-close').onclick = () => own.close();
  // A click beside it closes it.
  own.onclick = ({ target }) => {
    if (target === own) own.close();
  };
  if (!own.open) own.showModal();
  return own;
}

export function closeDialog(): void {
  byId<HTMLDialogElement>('dialog').close();
}

/** A word to the reader above the page. */
export function notice(text: string, isBad = false, ...more: Node[]): void {
  const own = byId('notice');
  fill(own, text, more);
  own.classList.toggle('bad', isBad);
  own.hidden = text === '';
}
