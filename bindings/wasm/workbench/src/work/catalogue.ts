// What ships: in the module, and as files beside the page.
import { ABOUT } from '#package/about.js';
import { fileNamed, listPaths, readFilesBy } from '#package/files.js';
import { FILES } from '#package/names.js';
import { catalog, stages } from 'sonometer';
import type { Files, Shipped, StageFacts } from '../shared/asks.js';

/** Where the folder `protocols` is; empty where there is none, as in the single file. */
let base = '';

export function filesAt(folder: string): void {
  base = folder;
  readFilesBy(read, false);
}

async function read(path: string): Promise<string> {
  const answer = await fetch(new URL(path, base));
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
  return answer.text();
}

/** Everything that can be opened; the source of what is a file is empty until it is asked for. */
export function shipped(): readonly Shipped[] {
  const held = catalog();
  const known = new Set(held.map(({ id, version }) => `${id}@${version}`));
  const files = base === '' ? [] : Object.entries(FILES).flatMap(([id, versions]) => Object.keys(versions).map((version) => ({ id, version })));
  const more = files.filter(({ id, version }) => !known.has(`${id}@${version}`));
  const described = more.map(({ id, version }) => {
    const [name, description] = ABOUT[`${id}@${version}`] ?? ['', ''];
    return { kind: 'protocol', id, version, name: name === '' ? id : name, status: '', description, source: '' };
  });
  return [...held, ...described];
}

/** The source and list files of what is a file beside the page. */
export async function fetched(name: string): Promise<{ source: string; files: Files }> {
  const path = fileNamed(name);
  if (path === undefined) throw new Error(`nothing ships as ${name}`);
  const lists = listPaths(path);
  const [source = '', ...texts] = await Promise.all([path, ...lists.map((list) => `protocols/${list}`)].map(read));
  return { source, files: Object.fromEntries(lists.map((list, at) => [list, texts[at] ?? ''])) };
}

export function stageFacts(): readonly StageFacts[] {
  return stages().map(({ id, version, name, description }) => ({ id, version, name, description }));
}
