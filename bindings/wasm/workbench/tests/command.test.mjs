// `sonometer workbench`: a strict policy, the files of the disk, and nobody else's asks.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browse, executablePath, says } from './browser.mjs';

const command = process.env.SONOMETER ?? '';
const skip = !existsSync(executablePath) ? `no ${executablePath}` : existsSync(command) ? false : 'no command with the page in it';
const folder = mkdtempSync(join(tmpdir(), 'workbench-command-'));
const file = join(folder, 'own.yaml');
const SOURCE = `sonometer: 1
id: own
version: "1"
taxonomy: Signal
list_files: {first: names/first.txt}
fidelity: {words: 1}
markers:
  - label: name
    strong: "@first"
    hit: Ann
  - label: thanks
    strong: thank you
    hit: Thank you.
`;
const children = [];
let address;
let browser;
const trouble = [];

/** Starts the command in a folder; gives the address that it prints. */
function start(cwd, files) {
  const child = spawn(command, ['workbench', ...files], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
      const found = /open (http:\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${said}`)));
  });
}

before(async () => {
  if (skip) return;
  mkdirSync(join(folder, 'names'));
  writeFileSync(join(folder, 'names/first.txt'), 'ann\nbea\n');
  writeFileSync(file, SOURCE);
  writeFileSync(join(folder, 'talk.json'), '{"segments": [{"role": "agent", "content": "Thank you, Bea."}]}');
  address = await start(folder, ['own.yaml', 'talk.json']);
  browser = await browse((what) => trouble.push(what));
});

after(async () => {
  await browser?.close();
  for (const child of children) {
    child.removeAllListeners('exit');
    child.kill();
  }
});

test('files are opened with their lists, followed, and saved back', { skip, timeout: 120_000 }, async () => {
  const page = await browser.open(address);
  await page.waitForFunction(() => document.querySelectorAll('.found').length === 2);
  assert.deepEqual(await page.locator('.found').allTextContents(), ['Thank you', 'Bea']);
  // Another editor writes it.
  writeFileSync(file, SOURCE.replace('thank you\n', 'thank\n'));
  await page.waitForFunction(() => window.workbench.state.protocol.source.includes('strong: thank\n'));
  await says(page, '#notice', /own\.yaml was changed on the disk/);
  await page.waitForFunction(() => document.querySelector('.found').textContent === 'Thank');
  await page.click('#protocol .cm-content');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# kept');
  await page.keyboard.press('Control+s');
  await page.waitForSelector('#notice >> text=Saved to own.yaml.');
  assert.match(readFileSync(file, 'utf8'), /# kept$/);
  // A shared link does not hold the token.
  await page.click('#share');
  assert.doesNotMatch(await page.inputValue('#dialog textarea'), /key=/);
  await page.close();
  assert.deepEqual(trouble, []);
});

test('asks without the token, under another name or for other files are refused', { skip }, async () => {
  const { origin, searchParams } = new URL(address);
  const token = searchParams.get('key');
  const own = { 'x-workbench-token': token };
  const status = async (path, options) => (await fetch(origin + path, options)).status;
  assert.equal(await status('/'), 403);
  assert.equal(await status('/?key=wrong'), 403);
  assert.equal(await status('/api/files'), 403);
  assert.equal(await status('/api/files', { headers: { 'x-workbench-token': 'wrong' } }), 403);
  assert.equal(await status('/api/files', { headers: own }), 200);
  assert.equal(await status('/api/files?name=own.yaml', { method: 'PUT', body: 'x' }), 403);
  assert.equal(await status('/api/files?name=%2Fetc%2Fpasswd', { method: 'PUT', body: 'x', headers: own }), 409);
  assert.equal(await status('/api/files?name=names%2Ffirst.txt', { method: 'PUT', body: 'x', headers: own }), 409);
  assert.equal(await status('/../own.yaml'), 404);
  assert.equal(await status('/index.html'), 404);
  // As a page that gives its own name the address of loopback: fetch does not let a name be forged, so by hand.
  const { request } = await import('node:http');
  const forged = await new Promise((resolve) =>
    request(address, { headers: { host: 'evil.example:80' } }, (response) => resolve(response.statusCode)).end(),
  );
  assert.equal(forged, 403);
  const { headers } = await fetch(address);
  assert.match(
    headers.get('content-security-policy'),
    /default-src 'none'.*script-src 'self' 'nonce-[0-9a-f]{32}' 'wasm-unsafe-eval'.*frame-ancestors 'none'/,
  );
  assert.doesNotMatch(headers.get('content-security-policy'), /unsafe-inline/);
});

/** The first line that a server answers to exactly these lines; browsers and `fetch` send no such requests. */
function raw(port, lines) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    let said = '';
    socket.on('data', (bytes) => (said += bytes));
    socket.on('error', reject);
    socket.on('close', () => resolve(said.split('\r\n')[0]));
  });
}

test('no name of a host but loopback reaches anything, however it is written', { skip }, async () => {
  const { port, searchParams } = new URL(address);
  const path = `/?key=${searchParams.get('key')}`;
  const asked = (host, target = path) => raw(port, [`GET ${target} HTTP/1.1`, ...(host === undefined ? [] : [`Host: ${host}`]), 'Connection: close']);
  assert.match(await asked(`127.0.0.1:${port}`), / 200 /);
  assert.match(await asked(`localhost:${port}`), / 200 /);
  for (const host of [
    undefined, '', '127.0.0.1', 'localhost', `127.0.0.1.nip.io:${port}`, `localhost.evil.example:${port}`, `evil.example:${port}`, `0.0.0.0:${port}`,
    `[::1]:${port}`, `127.0.0.1:${port}.evil.example`, `127.0.0.1:${port}@evil.example`, `evil.example#127.0.0.1:${port}`, '127.0.0.1:1', `2130706433:${port}`,
  ]) {
    assert.match(await asked(host), / 40[03] /, String(host));
  }
  // Two names, and a name in the line of the request.
  assert.match(await raw(port, [`GET ${path} HTTP/1.1`, `Host: evil.example`, `Host: 127.0.0.1:${port}`, 'Connection: close']), / 40[03] /);
  assert.match(await asked('evil.example', `http://127.0.0.1:${port}${path}`), / 40[03] /);
});

test('pages of others may neither read nor write, with or without a preflight', { skip }, async () => {
  const { origin, searchParams } = new URL(address);
  const evil = { origin: 'https://evil.example' };
  const { request } = await import('node:http');
  const asked = (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const made = request(origin + path, { method, headers }, (response) => resolve([response.statusCode, response.headers]));
      made.on('error', reject);
      made.end(body);
    });
  const [preflight, told] = await asked('OPTIONS', '/api/files?name=own.yaml', {
    ...evil, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-workbench-token',
  });
  assert.ok(preflight >= 400, String(preflight));
  assert.deepEqual(Object.keys(told).filter((name) => name.startsWith('access-control')), []);
  // What forms and images can send without a preflight has no token.
  const before = readFileSync(file, 'utf8');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    for (const method of ['GET', 'POST', 'PUT']) {
      const [status] = await asked(method, '/api/files?name=own.yaml', { ...evil, 'content-type': type }, method === 'GET' ? undefined : 'id: stolen');
      assert.ok(status === 403 || status === 405, `${method} ${type}: ${status}`);
    }
  }
  // The token of the address is for the page; it opens no file by itself, nor does it in a cookie.
  const token = searchParams.get('key');
  assert.equal((await asked('GET', `/api/files?key=${token}`, evil))[0], 403);
  assert.equal((await asked('GET', '/api/files', { ...evil, cookie: `x-workbench-token=${token}` }))[0], 403);
  assert.equal(readFileSync(file, 'utf8'), before);
  const [, headers] = await asked('GET', `/?key=${token}`, {});
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['x-content-type-options'], 'nosniff');
});

test('saving: only what was named, through links, never past the folder', { skip, timeout: 120_000 }, async () => {
  const other = mkdtempSync(join(tmpdir(), 'workbench-links-'));
  const inner = join(other, 'inner');
  mkdirSync(inner);
  writeFileSync(join(other, 'secret.txt'), 'a secret\n');
  writeFileSync(join(other, 'real.yaml'), SOURCE.replace('list_files: {first: names/first.txt}', '').replace('"@first"', 'ann'));
  symlinkSync('../real.yaml', join(inner, 'link.yaml'));
  symlinkSync('../secret.txt', join(inner, 'list.txt'));
  // A protocol from elsewhere that names files it should not have.
  for (const [at, path] of ['../secret.txt', join(other, 'secret.txt'), 'a/../../secret.txt'].entries()) {
    writeFileSync(join(inner, `hostile${at}.yaml`), SOURCE.replace('names/first.txt', path));
  }
  const started = await start(inner, ['link.yaml', 'hostile0.yaml', 'hostile1.yaml', 'hostile2.yaml']);
  const { origin, searchParams } = new URL(started);
  const headers = { 'x-workbench-token': searchParams.get('key') };
  const all = await (await fetch(`${origin}/api/files`, { headers })).text();
  assert.doesNotMatch(all, /a secret/);
  const write = async (name) => (await fetch(`${origin}/api/files?name=${encodeURIComponent(name)}`, { method: 'PUT', body: 'id: stolen\n', headers })).status;
  for (const name of [
    '../secret.txt', join(other, 'secret.txt'), '../real.yaml', './link.yaml', 'link.yaml/', 'link.yaml\0', 'LINK.yaml', ' link.yaml', '', '.', '..', 'new.yaml',
    'list.txt', '/proc/self/environ',
  ]) {
    assert.equal(await write(name), 409, name);
  }
  assert.equal(readFileSync(join(other, 'secret.txt'), 'utf8'), 'a secret\n');
  assert.equal(await write('link.yaml'), 204);
  assert.ok(lstatSync(join(inner, 'link.yaml')).isSymbolicLink(), 'it is still a link');
  assert.equal(readFileSync(join(other, 'real.yaml'), 'utf8'), 'id: stolen\n');
  assert.deepEqual(readdirSync(other).sort(), ['inner', 'real.yaml', 'secret.txt'], 'and nothing else was made');
  // Too large, and no text.
  const put = async (body) => (await fetch(`${origin}/api/files?name=link.yaml`, { method: 'PUT', body, headers })).status;
  assert.equal(await put(new Uint8Array([0xff, 0xfe])), 400);
  assert.equal(await put('x'.repeat(64 << 20)), 413);
  assert.equal(readFileSync(join(other, 'real.yaml'), 'utf8'), 'id: stolen\n');
});

test('names of files are text in the page', { skip, timeout: 120_000 }, async () => {
  const other = mkdtempSync(join(tmpdir(), 'workbench-names-'));
  const name = `<img src=x onerror="window.hurt=1">'&.yaml`;
  writeFileSync(join(other, name), SOURCE.replace('list_files: {first: names/first.txt}', '').replace('"@first"', 'ann'));
  const page = await browser.open(await start(other, [name]));
  await page.click('#protocol .cm-content');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# kept');
  await page.keyboard.press('Control+s');
  await says(page, '#notice', /Saved to <img src=x/);
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.match(readFileSync(join(other, name), 'utf8'), /# kept$/);
  await page.close();
  assert.deepEqual(trouble, []);
});
