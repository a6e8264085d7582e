// Dark and light: as the system has it, until somebody chooses.
import { byId, fill } from './dom.js';

const KEY = 'sonometer-theme';
const ORDER = ['system', 'light', 'dark'] as const;
type Choice = (typeof ORDER)[number];

export function themes(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const button = byId('theme');
  let choice = read();
  const show = () => {
    document.documentElement.dataset['theme'] = choice === 'system' ? (dark.matches ? 'dark' : 'light') : choice;
    fill(button, { system: '◐', light: '☀', dark: '☾' }[choice]);
    button.setAttribute('aria-label', `Theme: ${choice === 'system' ? 'as the system' : choice}`);
  };
  button.addEventListener('click', () => {
    choice = ORDER[(ORDER.indexOf(choice) + 1) % ORDER.length] ?? 'system';
    keep(choice);
    show();
  });
  dark.addEventListener('change', show);
  show();
}

/** Pages opened from a disk may have no storage. */
function read(): Choice {
  try {
    return ORDER.find((one) => one === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    return 'system';
  }
}

function keep(choice: Choice): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // It holds as long as the page is open.
  }
}
