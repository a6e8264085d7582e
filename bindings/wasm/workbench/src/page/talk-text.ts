// A talk as people type it: one text, or turns as lines `role: text`, where further lines go on with the turn. A turn may say when
// it was: `agent (12.5s): Hello.`
import type { Talk, TalkTurn } from '../shared/asks.js';

/** A turn with its place in what was typed. */
export interface PlacedTurn extends TalkTurn {
  /** Where the role begins, and its content. */
  readonly at: number;
  readonly from: number;
}

export interface TypedTalk {
  readonly talk: Talk;
  /** Nothing for a text. */
  readonly turns: readonly PlacedTurn[];
}

const HEAD = /^([\p{L}\p{N}_][\p{L}\p{M}\p{N}_ .-]{0,31}?)(?: \((-?\d+(?:\.\d+)?)s\))?: ?/u;

/** Whether what was typed looks like turns: its first line begins with a role, and so does another, or it is the only line. */
export function looksLikeTurns(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const heads = lines.filter((line) => isHead(line)).length;
  return lines[0] !== undefined && isHead(lines[0]) && (heads > 1 || lines.length === 1);
}

function isHead(line: string): boolean {
  const role = HEAD.exec(line)?.[1];
  // `https: //`, `10: 30` and whole sentences before a colon are no roles.
  return role !== undefined && !/^(https?|\d+)$/.test(role) && role.split(' ').length <= 3;
}

export function typed(text: string, asTurns: boolean): TypedTalk {
  if (!asTurns) return { talk: text, turns: [] };
  const turns: PlacedTurn[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const [head = '', role = '', seconds] = isHead(line) ? (HEAD.exec(line) ?? []) : [];
    const last = turns.at(-1);
    if (role !== '') {
      const time = seconds === undefined ? {} : { timestamp: Number(seconds) };
      turns.push({ role, content: line.slice(head.length), at, from: at + head.length, ...time });
    } else if (last !== undefined) {
      turns[turns.length - 1] = { ...last, content: `${last.content}\n${line}` };
    } else if (line.trim() !== '') {
      turns.push({ role: 'somebody', content: line, at, from: at });
    }
    at += line.length + 1;
  }
  // Empty lines at the end of a turn only part it from the next.
  const said = turns.map((turn) => ({ ...turn, content: turn.content.replace(/\s+$/, '') })).filter((turn) => turn.content !== '');
  return {
    talk: said.map(({ role, content, timestamp }) => (timestamp === undefined ? { role, content } : { role, content, timestamp })),
    turns: said,
  };
}

/** How a talk is typed. Read again it has the same turns: a role that cannot be typed is written in another way, and a further line
 * of a turn that begins as a turn does is indented. */
export function asText(talk: Talk): string {
  if (typeof talk === 'string') return talk;
  const roles = rolesOf(talk);
  const time = ({ timestamp }: TalkTurn) => (timestamp === undefined ? '' : ` (${plainly(timestamp)}s)`);
  const said = (content: string) => content.replace(/\r\n?/g, '\n').replace(/\n.*/g, (line) => (isHead(line.slice(1)) ? `\n ${line.slice(1)}` : line));
  return talk.map((turn) => `${roles.get(turn.role)}${time(turn)}: ${said(turn.content)}`).join('\n');
}

/** The roles that are written in another way, such as `+49 30 1` as `49 30 1`. */
export function rewritten(talk: Talk): [string, string][] {
  return typeof talk === 'string' ? [] : [...rolesOf(talk)].filter(([role, written]) => role !== written);
}

/** How each role is typed. */
function rolesOf(talk: readonly TalkTurn[]): Map<string, string> {
  const own = new Set(talk.map((turn) => turn.role));
  const roles = new Map([...own].filter(isRole).map((role) => [role, role]));
  const taken = new Set(roles.keys());
  for (const role of own) {
    if (roles.has(role)) continue;
    const words = role.match(/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*/gu) ?? [];
    const plain = [...words.slice(0, 2).join(' ')].slice(0, 12).join('').trim();
    // A number tells apart those that are written alike, and makes a role of what is a number.
    const tries = [plain, ...Array.from({ length: own.size + 1 }, (_, at) => `${isRole(plain) ? plain : 'role'} ${at + 1}`)];
    const written = tries.find((one) => isRole(one) && !taken.has(one)) ?? 'role';
    taken.add(written);
    roles.set(role, written);
  }
  return roles;
}

/** Whether a role is read again as it is written. */
function isRole(role: string): boolean {
  return isHead(`${role}: `) && HEAD.exec(`${role}: `)?.[1] === role && role.trim() === role;
}

/** A number without an exponent. */
function plainly(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(6) : text;
}
