// Talks from files: JSON lines in the forms that the command reads, and tables with a text on each row.
import { call } from '#package/engine.js';
import { Interaction, SonometerError } from 'sonometer';
import type { Corpus, Talk, TalkTurn } from '../shared/asks.js';
import { readTable } from './csv.js';

type Value = string | number | boolean | null;

/** A talk with what the file says about it. */
export interface Item {
  readonly id: string;
  readonly talk: Talk;
  readonly labels: Readonly<Record<string, Value>>;
}

/** What a page holds without becoming slow. */
const MOST = 50_000;
const MOST_SKIPPED = 20;
const PREVIEW = 120;

const TEXT = /^(text|content|message|utterance|body|comment)$/i;
const ROLE = /^(role|speaker|author|actant)$/i;
const TALK = /^(conversation|conversation_id|dialogue|dialogue_id|dialog_id|thread|thread_id|talk|talk_id|call_id)$/i;
const ID = /^(id|row_id|message_id)$/i;

export let items: readonly Item[] = [];
let name = '';

export function load(file: string, text: string): Corpus {
  const skipped: string[] = [];
  const found = /\.(csv|tsv)$/i.test(file) ? ofTable(text, skipped) : ofLines(text, skipped);
  if (found.length > MOST) skipped.unshift(`only the first ${MOST} of ${found.length} talks are taken`);
  items = found.slice(0, MOST);
  name = file;
  const labels = [...new Set(items.flatMap((item) => Object.keys(item.labels)))];
  const values = Object.fromEntries(labels.map((label) => [label, items.map((item) => item.labels[label] ?? null)]));
  const roles = new Set<string>();
  for (const { talk } of items) if (typeof talk !== 'string') talk.forEach((turn) => roles.add(turn.role));
  return {
    name,
    size: items.length,
    labels,
    roles: [...roles].slice(0, 31),
    skipped: skipped.slice(0, MOST_SKIPPED),
    ids: items.map((item) => item.id),
    previews: items.map((item) => preview(item.talk)),
    values,
  };
}

/** The name of the file that the talks are from. */
export function corpusName(): string {
  return name;
}

/** The items as `evaluate` reads them. */
export function labelled(): { readonly name: string; readonly lines: string } {
  const line = ({ id, talk, labels }: Item) => {
    const interaction = typeof talk === 'string' ? { content: talk } : { segments: talk };
    return JSON.stringify({ id, interaction, labels: nested(labels) });
  };
  return { name, lines: items.map(line).join('\n') };
}

function preview(talk: Talk): string {
  const text = typeof talk === 'string' ? talk : talk.map((turn) => `${turn.role}: ${turn.content}`).join(' ');
  const line = text
    .slice(0, 2 * PREVIEW)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > PREVIEW ? `${line.slice(0, PREVIEW - 1)}…` : line;
}

function ofLines(text: string, skipped: string[]): Item[] {
  const found: Item[] = [];
  const skip = (line: number, why: string) => skipped.push(`line ${line}: ${why}`);
  const whole = text.trimStart().startsWith('[') ? asList(text) : undefined;
  const lines = whole ?? text.split('\n');
  lines.forEach((line, at) => {
    if (typeof line === 'string' && line.trim() === '') return;
    let value: unknown = line;
    if (typeof line === 'string') {
      try {
        value = JSON.parse(line);
      } catch {
        skip(at + 1, 'not JSON');
        return;
      }
    }
    try {
      found.push(itemOf(value, String(at + 1)));
    } catch (error) {
      skip(at + 1, error instanceof SonometerError ? error.message : 'no talk: it has no `content`, `segments` or `messages`');
    }
  });
  return found;
}

/** A file that is one JSON list of talks. */
function asList(text: string): unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function itemOf(value: unknown, number: string): Item {
  if (typeof value === 'string') return { id: number, talk: value, labels: {} };
  const { id, labels, interaction, ...rest } = value as Record<string, unknown>;
  const own = (interaction ?? (Array.isArray(value) ? value : rest)) as Record<string, unknown>;
  const talk = talkOf(own);
  const flat: Record<string, Value> = {};
  flatten('', labels ?? (own as { labels?: unknown }).labels, flat);
  return { id: String(id ?? own.id ?? number), talk, labels: flat };
}

/** The talk of an object that holds one, or of a list of turns or messages. */
export function talkOf(value: Record<string, unknown> | readonly unknown[]): Talk {
  if (Array.isArray(value)) return ofMessages(value);
  const { content, text, segments, messages } = value as Record<string, unknown>;
  const said = content ?? text;
  if (typeof said === 'string') return said;
  if (!Array.isArray(segments)) {
    if (!Array.isArray(messages)) throw new TypeError('no talk');
    return ofMessages(messages);
  }
  if (segments.every(isPlain)) return segments.map(plain);
  // What the engine reads is sound.
  Interaction.parse(JSON.stringify({ segments }));
  return segments.map(plain);
}

/** The turns of a chat. Its forms are the engine's to read: in some a message is in parts, and in many some are said by nobody. */
function ofMessages(messages: readonly unknown[]): Talk {
  const told = call((engine) => engine.turns(JSON.stringify(messages)));
  return Array.from({ length: told.length / 3 }, (_, at) => {
    const [role = '', content = '', seconds = ''] = told.slice(3 * at, 3 * at + 3);
    return seconds === '' ? { role, content } : { role, content, timestamp: Number(seconds) };
  });
}

function isPlain(turn: unknown): boolean {
  return typeof turn === 'object' && turn !== null && typeof (turn as TalkTurn).content === 'string' && typeof (turn as TalkTurn).role === 'string';
}

function plain(turn: TalkTurn): TalkTurn {
  const { role, content, timestamp } = turn;
  return typeof timestamp === 'number' ? { role, content, timestamp } : { role, content };
}

/** Labels below labels have paths: `outcome.a`. */
function flatten(path: string, value: unknown, into: Record<string, Value>): void {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
    if (path !== '') into[path] = value as Value;
  } else if (typeof value === 'object' && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value as object)) flatten(path === '' ? key : `${path}.${key}`, inner, into);
  }
}

function nested(labels: Readonly<Record<string, Value>>): object {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(labels)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<Record<string, unknown>>((at, key) => (at[key] ??= {}) as Record<string, unknown>, root);
    parent[last] = value;
  }
  return root;
}

function ofTable(text: string, skipped: string[]): Item[] {
  const unclosed = (line: number) =>
    skipped.push(`line ${line}: the quote with which a cell begins here is never closed, so nothing from this row on is read; close it`);
  const [head = [], ...rows] = readTable(text, unclosed);
  const column = (like: RegExp) => head.findIndex((name) => like.test(name.trim()));
  const [said, role, talk, id] = [column(TEXT), column(ROLE), column(TALK), column(ID)];
  if (said === -1) {
    skipped.push(`no column is called text, content, message, utterance, body or comment; the columns are ${head.join(', ')}`);
    return [];
  }
  const others = head.map((name, at) => ({ name: name.trim(), at })).filter(({ at }) => ![said, role, talk, id].includes(at));
  const labels = (row: string[]) => Object.fromEntries(others.map(({ name, at }) => [name, valueOf(row[at] ?? '')]));
  if (role === -1 || talk === -1) {
    return rows.map((row, at) => ({ id: row[id] ?? String(at + 1), talk: row[said] ?? '', labels: labels(row) }));
  }
  const talks = new Map<string, { readonly turns: TalkTurn[]; readonly labels: Record<string, Value> }>();
  for (const row of rows) {
    const key = row[talk] ?? '';
    const own = talks.get(key) ?? { turns: [], labels: labels(row) };
    own.turns.push({ role: row[role] ?? '', content: row[said] ?? '' });
    talks.set(key, own);
  }
  return [...talks].map(([key, own]) => ({ id: key, talk: own.turns, labels: own.labels }));
}

function valueOf(text: string): Value {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (/^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
}
