// Bundles the workbench page: `build.mjs FOLDER`, a folder with the engine's scripts in `js`, its module in `js/glue_bg.wasm` and
// the tools in `tools`. Writes `site` (for any server) and `workbench.html` (one file, also for `file:`).
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const [, , out] = process.argv;
const here = import.meta.dirname;
const { build } = createRequire(join(out, 'tools/package.json'))('esbuild');
const site = join(out, 'site');
rmSync(site, { recursive: true, force: true });
mkdirSync(site, { recursive: true });

// What the files beside the page are called, so that the shelf need not fetch all of them.
const about = {};
for (const file of readdirSync(join(out, 'protocols')).filter((name) => name.endsWith('.yaml'))) {
  const text = readFileSync(join(out, 'protocols', file), 'utf8');
  const value = (key) => new RegExp(`^${key}:[ \\t]*(?:\\|\\s*\\n)?[ \\t]*(.*)`, 'm').exec(text)?.[1].replace(/^["']|["']$/g, '') ?? '';
  about[file.replace(/\.yaml$/, '')] = [value('name'), value('description')];
}
writeFileSync(join(out, 'js/about.js'), `export const ABOUT = ${JSON.stringify(about)};\n`);

const common = {
  bundle: true,
  minify: true,
  keepNames: false,
  target: 'es2022',
  logLevel: 'warning',
  legalComments: 'none',
  metafile: true,
  nodePaths: [join(out, 'tools/node_modules')],
  alias: {
    sonometer: join(out, 'js/index.js'),
    ...Object.fromEntries(['about', 'engine', 'held', 'errors', 'files', 'names'].map((name) => [`#package/${name}.js`, join(out, `js/${name}.js`)])),
  },
  // There is no module whose address could be asked for; the page always gives the engine its bytes.
  define: { 'import.meta.url': '"x:"' },
  write: false,
};

async function bundled(entry, format) {
  const { outputFiles, metafile } = await build({ ...common, entryPoints: [join(here, 'src', entry)], format });
  return { text: outputFiles[0].text, metafile };
}

const page = await bundled('main.ts', 'esm');
const worker = await bundled('worker.ts', 'iife');
const parquet = await bundled('parquet.ts', 'esm');
const { outputFiles } = await build({ ...common, entryPoints: [join(here, 'style.css')], metafile: false });
const style = outputFiles[0].text;
const wasm = readFileSync(join(out, 'js/glue_bg.wasm'));

/** The licences of what is in the page. */
const packages = new Set(
  Object.keys({ ...page.metafile.inputs, ...worker.metafile.inputs, ...parquet.metafile.inputs }).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
);
const licences = [...packages].sort().map((name) => {
  const folder = join(out, 'tools/node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`;
});

const template = readFileSync(join(here, 'index.html'), 'utf8');
const policy = (rules) => `<meta http-equiv="Content-Security-Policy" content="${rules}">`;
const shared = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

const put = (name, bytes) => writeFileSync(join(site, name), bytes);
put('page.js', page.text);
put('worker.js', worker.text);
put('parquet.js', parquet.text);
put('style.css', style);
put('workbench.wasm', wasm);
put('LICENSES.txt', licences.join('\n----\n\n'));
put(
  'index.html',
  template
    .replace('<!-- policy -->', () => policy(`${shared}; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'`))
    .replace('<!-- style -->', () => '<link rel="stylesheet" href="style.css">')
    .replace('<!-- script -->', () => '<script type="module" src="page.js"></script>'),
);
cpSync(join(out, 'protocols'), join(site, 'protocols'), { recursive: true });
for (const name of readdirSync(join(site, 'protocols'), { recursive: true })) {
  const path = join(site, 'protocols', name);
  if (statSync(path).isFile()) writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
}
mkdirSync(join(out, 'packed'), { recursive: true });
// Not the page itself, into which the command writes its token.
for (const name of ['page.js', 'worker.js', 'parquet.js', 'style.css', 'workbench.wasm']) {
  const bytes = readFileSync(join(site, name));
  put(`${name}.br`, packed(bytes));
  put(`${name}.gz`, gzipSync(bytes, { level: 9 }));
}

/** By brotli, which takes long for the module: what was packed before is taken from the last time. */
function packed(bytes) {
  const known = join(out, 'packed', createHash('sha256').update(bytes).digest('hex'));
  if (!existsSync(known)) {
    writeFileSync(
      known,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    );
  }
  return readFileSync(known);
}

// An end tag inside inlined text would end the element that holds it.
const inlined = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const single = template
  .replace('<!-- policy -->', () => policy(`${shared}; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src 'none'`))
  .replace('<!-- style -->', () => `<style>\n${style}</style>`)
  .replace(
    '<!-- script -->',
    () =>
      `<script type="text/plain" id="worker-text">${inlined(worker.text)}</script>\n` +
      `<script type="text/plain" id="parquet-text">${inlined(parquet.text)}</script>\n` +
      `<script type="text/plain" id="module-gzip">${gzipSync(wasm, { level: 9 }).toString('base64')}</script>\n` +
      `<script type="module">${inlined(page.text)}</script>`,
  );
writeFileSync(join(out, 'workbench.html'), single);

const sent = ['page.js.br', 'worker.js.br', 'style.css.br', 'workbench.wasm.br', 'index.html'].map((name) => [name, statSync(join(site, name)).size]);
const sum = sent.reduce((total, [, size]) => total + size, 0);
console.error(
  [...sent, ['all of the first use', sum], ['workbench.html', single.length]]
    .map(([name, size]) => `${String(size).padStart(9)}  ${name}`)
    .join('\n'),
);
