// A server for tests and the demo: on loopback, with a strict content security policy, and gone with its process.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.jsonl': 'text/plain; charset=utf-8',
};

/** `folders`: by the beginning of the path, the folder (or the file) that it stands for. */
export async function serve(folders, { wasm = true, types = TYPES } = {}) {
  const policy = `default-src 'none'; script-src 'self'${wasm ? " 'wasm-unsafe-eval'" : ''}; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const prefix = Object.keys(folders).filter((start) => pathname.startsWith(start)).sort((a, b) => b.length - a.length)[0];
    const rest = prefix && normalize(`/${pathname.slice(prefix.length)}`);
    const path = prefix && (rest === '/' ? folders[prefix] : join(folders[prefix], rest));
    if (!path || !statSync(path, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-security-policy': policy,
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      'cache-control': 'no-store',
    });
    createReadStream(path).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { address: `http://127.0.0.1:${server.address().port}`, close };
}
