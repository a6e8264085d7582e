// Parquet, whose reader comes when it is needed: a file beside the page, or a text within it.
import type { AsText } from '../parquet.js';

interface Reader {
  readParquet(name: string, file: ArrayBuffer): Promise<AsText>;
}

let reader: Promise<Reader> | undefined;

function load(): Promise<Reader> {
  const inlined = document.getElementById('parquet-text');
  const address =
    inlined === null
      ? new URL('parquet.js', location.href).href
      : URL.createObjectURL(new Blob([inlined.textContent ?? ''], { type: 'text/javascript' }));
  return import(address) as Promise<Reader>;
}

export function isParquet(name: string): boolean {
  return /\.(parquet|pq)$/i.test(name);
}

/** The file as a text that the page reads. */
export async function parquet(file: File): Promise<AsText> {
  reader ??= load().catch((error: unknown) => {
    reader = undefined;
    throw error;
  });
  return (await reader).readParquet(file.name.replace(/\.\w+$/, ''), await file.arrayBuffer());
}
