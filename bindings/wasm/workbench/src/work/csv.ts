// Tables of comma-separated values, as RFC 4180 has them; also with semicolons or tabs, which spreadsheets write.

/** The rows, without empty ones. `unclosed` hears of the line of a quote that is never closed; the row in which it stands is left out. */
export function readTable(text: string, unclosed: (line: number) => void = () => {}): string[][] {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  const separator = separatorOf(body);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  let opened = 0;
  const endCell = () => {
    row.push(cell);
    cell = '';
  };
  const endRow = () => {
    endCell();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  for (let at = 0; at < body.length; at += 1) {
    const c = body[at];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (body[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (c === '"' && cell === '') {
      quoted = true;
      opened = at;
    } else if (c === separator) endCell();
    else if (c === '\n') endRow();
    else if (c !== '\r' || body[at + 1] !== '\n') cell += c;
  }
  if (quoted) unclosed(body.slice(0, opened).split('\n').length);
  else if (cell !== '' || row.length > 0) endRow();
  return rows;
}

/** The one that the first line has most of. */
function separatorOf(text: string): string {
  const head = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n'));
  const count = (sign: string) => head.split(sign).length;
  return [',', ';', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}
