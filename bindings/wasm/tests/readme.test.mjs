// The code of the package's README, of that of the repository and of `docs/web.md` runs and says what its comments say.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const here = import.meta.dirname;
const codeOf = (file) => [...readFileSync(file, 'utf8').matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code);
const own = codeOf(join(here, 'README.md'));
const repository = codeOf(join(process.env.SONOMETER_ROOT, 'README.md'));
const pages = codeOf(join(process.env.SONOMETER_ROOT, 'docs/web.md'));
const blocks = [...own, ...repository, ...pages];

test('there is code', () => assert.ok(own.length >= 4 && repository.length >= 1 && pages.length >= 3));

for (const [at, code] of blocks.entries()) {
  test(`block ${at + 1}`, async () => {
    // `expression; // value` becomes a comparison, also of what is logged; values with … are told to people only.
    const lines = code.split('\n').map((whole) => {
      const line = whole.replace(/^console\.log\((.*)\);(\s*\/\/)/, '$1;$2');
      const [, expression, value] = /^ *([\w.()'[\]@ ,:{}?=>-]+);\s*\/\/ ([\d.]+|true|false|'[^']*')(?:$|:.*$)/.exec(line) ?? [];
      if (expression === undefined || /^(const|import|return)\b/.test(expression)) return whole;
      return `check(${expression}, ${value}, ${JSON.stringify(line)});`;
    });
    const file = join(here, `readme-${at + 1}.mjs`);
    const head = `import assert from 'node:assert/strict';\nlet checked = 0;\nfunction check(is, told, line) { checked += 1; assert.equal(is, told, line); }\n`;
    writeFileSync(file, `${head}${lines.join('\n')}\nexport { checked };\n`);
    const told = (code.match(/\/\/ ([\d.]+|true|false|'[^']*')(?=$|:)/gm) ?? []).length;
    const silent = console.log;
    const logged = [];
    let checked = 0;
    console.log = (...words) => logged.push(words.join(' '));
    try {
      ({ checked } = await import(file));
      assert.equal(checked, told, 'every comment that tells a value was compared');
    } finally {
      console.log = silent;
    }
    if (code.includes('console.log')) assert.ok(logged.length + checked > 0);
  });
}
