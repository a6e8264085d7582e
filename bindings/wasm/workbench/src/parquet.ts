// Reads files of Parquet as what the page reads anyway: JSON lines where rows hold talks, else a table. It is a bundle of its own,
// which is fetched when somebody drops such a file. `hyparquet` has Snappy in it, `fzstd` is for Zstandard.
import { decompress as zstd } from 'fzstd';
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';

/** Rows of 50,000 long talks fit in this. */
const MOST_ROWS = 1_000_000;
/** What a page of a column may unpack to: a file that was made to fill the memory ends here. */
const MOST_PAGE = 256 * 1024 * 1024;
const TALKS = ['interaction', 'segments', 'messages', 'turns'];

export interface AsText {
  /** With the ending of what the text is. */
  readonly name: string;
  readonly text: string;
}

export async function readParquet(name: string, file: ArrayBuffer): Promise<AsText> {
  const compressors = { ZSTD: unpacked };
  const metadata = await parquetMetadataAsync(file);
  const rows = Number(metadata.num_rows);
  if (rows > MOST_ROWS) throw new Error(`it has ${rows.toLocaleString('en')} rows; the most are ${MOST_ROWS.toLocaleString('en')}`);
  const codecs = metadata.row_groups.flatMap(({ columns }) => columns.map(({ meta_data: data }) => data?.codec));
  const unknown = codecs.find((codec) => codec !== undefined && !['UNCOMPRESSED', 'SNAPPY', 'ZSTD'].includes(codec));
  if (unknown !== undefined) throw new Error(`it is packed by ${unknown}; write it with Snappy or Zstandard`);
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  const objects = await parquetReadObjects({ file, metadata, compressors });
  if (columns.some((column) => TALKS.includes(column))) {
    return { name: `${name}.jsonl`, text: objects.map((row) => JSON.stringify(row, plain)).join('\n') };
  }
  const line = (cells: readonly unknown[]) => cells.map((cell) => `"${cellText(cell).replaceAll('"', '""')}"`).join(',');
  return { name: `${name}.csv`, text: [line(columns), ...objects.map((row) => line(columns.map((column) => row[column])))].join('\n') };
}

function unpacked(input: Uint8Array, length: number): Uint8Array {
  if (length > MOST_PAGE) throw new Error(`a page of it unpacks to ${length.toLocaleString('en')} bytes; the most are ${MOST_PAGE.toLocaleString('en')}`);
  return zstd(input, new Uint8Array(length));
}

/** What JSON has no form for. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return value;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  const simple = plain('', value);
  return typeof simple === 'object' ? JSON.stringify(simple, plain) : String(simple);
}
