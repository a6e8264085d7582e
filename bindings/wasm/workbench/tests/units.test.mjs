// What needs no browser: reading talks and tables, tests put into protocols, figures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { source } from './bundle.mjs';

test('talks are read as they are typed, and keep their places', async () => {
  const { typed, asText, looksLikeTurns } = await source('page/talk-text.ts');
  const text = 'agent: Hello.\nHow are you?\n\ncustomer (12.5s): Fine, look at https://example.org.\n';
  const { talk, turns } = typed(text, true);
  assert.deepEqual(talk, [
    { role: 'agent', content: 'Hello.\nHow are you?' },
    { role: 'customer', content: 'Fine, look at https://example.org.', timestamp: 12.5 },
  ]);
  for (const { content, from } of turns) assert.equal(text.slice(from, from + content.length), content);
  assert.equal(asText(talk), 'agent: Hello.\nHow are you?\ncustomer (12.5s): Fine, look at https://example.org.');
  assert.equal(typed('just a text', false).talk, 'just a text');
  assert.ok(looksLikeTurns(text));
  assert.ok(!looksLikeTurns('See https://example.org: it works.\nAnd more.'));
  assert.ok(!looksLikeTurns('10: 30 is late.\nYes.'));
});

test('a talk that is opened is read again as it was', async () => {
  const { typed, asText, rewritten } = await source('page/talk-text.ts');
  const plain = [
    { role: 'agent', content: 'See below.\nNote that it is late.\n10: 30 is late\n\nhttps://example.org', timestamp: -2.5 },
    { role: 'ग्राहक', content: 'Hello.', timestamp: 1e-7 },
    { role: '客户 a.b-c_d', content: 'agent: no' },
  ];
  const again = typed(asText(plain), true).talk;
  assert.deepEqual(again, [plain[0], { ...plain[1], timestamp: 0 }, plain[2]]);
  assert.deepEqual(rewritten(plain), []);
  // A line that begins as a turn does stays in its turn, whatever ends the line before.
  const lines = [{ role: 'agent', content: 'Write to:\nName: Ann\r\nStreet: Long\rTown: Small' }];
  assert.deepEqual(typed(asText(lines), true).talk, [{ role: 'agent', content: 'Write to:\n Name: Ann\n Street: Long\n Town: Small' }]);
  // Roles that cannot be typed stay apart.
  const roles = ['+49 30 1', '(49) 30-1', 'agent (sales)', 'agent/sales', 'a: b', '7', '', '<b>', '🙂', 'one two three four', 'x'.repeat(70), '49 30'];
  const strange = roles.map((role) => ({ role, content: 'Hello.' }));
  const read = typed(asText(strange), true).talk;
  assert.equal(read.length, roles.length, asText(strange));
  assert.equal(new Set(read.map(({ role }) => role)).size, roles.length, asText(strange));
  assert.ok(read.every(({ content }) => content === 'Hello.'), asText(strange));
  assert.equal(read.at(-1).role, '49 30');
  assert.deepEqual(rewritten([{ role: 'agent (sales)', content: 'x' }]), [['agent (sales)', 'agent sales']]);
});

test('tables: quotes, breaks inside cells, semicolons', async () => {
  const { readTable } = await source('work/csv.ts');
  assert.deepEqual(readTable('id,text\r\n1,"a ""b"", c\nd"\r\n\r\n2,e'), [
    ['id', 'text'],
    ['1', 'a "b", c\nd'],
    ['2', 'e'],
  ]);
  assert.deepEqual(readTable('\ufeffid;text\n1;a,b'), [
    ['id', 'text'],
    ['1', 'a,b'],
  ]);
});

test('tables: a quote that is never closed is told, and its row is left out', async () => {
  const { readTable } = await source('work/csv.ts');
  const lines = [];
  const rows = readTable('id,text\n1,"a\nb"\n2,"c\n3,d\n', (line) => lines.push(line));
  assert.deepEqual([rows, lines], [[['id', 'text'], ['1', 'a\nb']], [4]]);
  readTable('id,text\n1,a "b\n', (line) => lines.push(line));
  assert.deepEqual(lines, [4]);
});

test('tests are put where they belong, whatever stands there', async () => {
  const { withLine, withDialogue } = await source('page/insert.ts');
  const head = 'markers:\n  - label: a\n    strong: thank you\n';
  const next = '  - label: b\n    strong: please\n';
  const into = (hit) => withLine(head + hit + next, 'a', 'hit', 'agent:  Thank\nyou.');
  assert.equal(into(''), `${head}    hit: |\n      agent: Thank you.\n${next}`);
  assert.equal(into('    hit: Thanks.\n'), `${head}    hit: |\n      Thanks.\n      agent: Thank you.\n${next}`);
  assert.equal(into('    hit: "It\'s: fine."\n'), `${head}    hit: |\n      It's: fine.\n      agent: Thank you.\n${next}`);
  assert.equal(
    into('    hit: |\n        One.\n\n        Two.\n    miss: No.\n'),
    `${head}    hit: |\n        One.\n\n        Two.\n        agent: Thank you.\n    miss: No.\n${next}`,
  );
  assert.equal(
    into('    hit: [One.]\n'),
    `${head}    hit: [One., "agent:  Thank\\nyou."]\n${next}`.replace('agent:  Thank\\nyou.', 'agent: Thank you.'),
  );
  assert.equal(withLine(head + next, 'b', 'miss', '# no comment'), `${head}${next.trimEnd()}\n    miss: |\n      \\# no comment\n`);
  assert.equal(withLine(head, 'c', 'hit', 'x'), undefined);
  const dialogue = '  - name: "one"\n    talk: |\n      agent: Hello.\n    expect: {fires: [a], silent: [b]}\n';
  assert.equal(withDialogue(head, 'one', ['agent: Hello.'], ['a'], ['b']), `${head}tests:\n${dialogue}`);
  assert.equal(withDialogue(`${head}tests:\n${dialogue}`, 'two', ['agent: Hello.'], ['a'], []).split('- name').length, 3);
});

test('patterns have their parts', async () => {
  const { partsOf } = await source('page/phrases.ts');
  const kinds = (line) => partsOf(line).map(({ from, to, kind }) => [line.slice(from, to).trim(), kind]);
  assert.deepEqual(kinds('(a|b) ..4.. @when <date>  # why'), [
    ['(', 'sign'],
    ['|', 'sign'],
    [')', 'sign'],
    ['..4..', 'gap'],
    ['@when', 'list'],
    ['<date>', 'class'],
    ['# why', 'comment'],
  ]);
  assert.deepEqual(kinds('/a\\/b|c/i "US" x = -0.41'), [
    ['/a\\/b|c/i', 'regex'],
    ['"US"', 'exact'],
    ['= -0.41', 'weight'],
  ]);
  assert.deepEqual(kinds('a @'), []);
});

test('the answer to why is cut from the ledger', async () => {
  const { answer } = await source('page/why.ts');
  const ledger =
    '  computation\n  apology  weight 2 for\n          +1  strong  sorry\n  blame  weight 2 against\n          +1  strong  fault\n  fidelity  density 1\n  density  min(1)\n  clarity  readable\n  score  mean: 0.5\n';
  assert.equal(answer(ledger, { of: 'marker', marker: 'apology' }, 'p@1'), 'apology  weight 2 for\n        +1  strong  sorry');
  assert.match(answer(ledger, { of: 'score' }, 'p@1'), /^score {2}mean: 0\.5\n\napology[^]*fault$/);
  assert.equal(answer(ledger, { of: 'fidelity' }, 'p@1').split('\n').length, 3);
  assert.equal(answer(ledger, { of: 'marker', marker: 'none' }, 'p@1'), '');
});

test('columns: filters, orders, bins and thresholds', async () => {
  const { rows, bins, confusion, frequencies, bestThreshold, isPositive } = await source('page/columns.ts');
  const scores = Float64Array.of(0.9, Number.NaN, 0.1, 1);
  const measured = { markers: ['a', 'b'], scores, found: Uint16Array.of(0, 33, 0), from: Uint32Array.of(0, 1, 1, 2, 3) };
  const corpus = { size: 4, ids: ['w', 'x', 'y', 'z'], previews: ['Hello', '', '', 'hello'] };
  const all = { marker: undefined, role: undefined, least: 0, most: 1, text: '', unmeasured: true };
  const of = (filter, order = 'place') => [...rows(measured, corpus, { ...all, ...filter }, order)];
  assert.deepEqual(of({}), [0, 1, 2, 3]);
  assert.deepEqual(of({}, 'down'), [3, 0, 2, 1]);
  assert.deepEqual(of({}, 'up'), [2, 0, 3, 1]);
  assert.deepEqual(of({ marker: 0 }), [0, 3]);
  assert.deepEqual(of({ marker: 1, role: 1 }), [2]);
  assert.deepEqual(of({ marker: 1, role: 0 }), []);
  assert.deepEqual(of({ least: 0.5, unmeasured: false }), [0, 3]);
  assert.deepEqual(of({ text: 'HELLO' }), [0, 3]);
  assert.deepEqual(frequencies(measured, 4), [2, 1]);
  assert.deepEqual(bins(scores, 2), [1, 2]);
  const labels = [true, true, false, undefined];
  assert.deepEqual(confusion(scores, labels, 0.5, false), { hits: 1, falseAlarms: 0, missed: 0, quiet: 1 });
  assert.deepEqual(confusion(scores, labels, 0.5, true), { hits: 0, falseAlarms: 1, missed: 1, quiet: 0 });
  assert.equal(bestThreshold(scores, labels, false), 0.9);
  assert.equal(isPositive('spam', 'spam'), true);
  assert.equal(isPositive(null, ''), undefined);
});

test('what a file is', async () => {
  const { found, listFiles, isNamed } = await source('page/files.ts');
  const kind = (name, text) => found(name, text).kind;
  assert.equal(kind('a.yaml', 'sonometer: 1'), 'protocol');
  assert.equal(kind('a.yaml', 'sonometer_stage: 1'), 'stage');
  assert.equal(kind('a.json', '{"sonometer_stagecard": 1}'), 'card');
  assert.equal(kind('a.jsonl', '{"action":"x","chain":"y"}'), 'log');
  assert.equal(kind('a.jsonl', '{"content":"x"}'), 'corpus');
  assert.equal(kind('a.json', '{"segments":[{"role":"a","content":"b"}]}'), 'talk');
  assert.equal(kind('a.json', '[{"content":"a"}]'), 'corpus');
  assert.equal(kind('a.txt', 'Hello'), 'text');
  assert.equal(kind('a.json', '{"sonometer": 1, "id": '), 'protocol');
  assert.throws(() => found('a.json', '{"segments":[{"role":'), SyntaxError);
  assert.deepEqual(listFiles('list_files: {first: names/first.txt}\nmarkers: []'), ['names/first.txt']);
  assert.ok(isNamed('names/first.txt', 'first.txt'));
});
