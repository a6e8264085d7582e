// The grammar on lines as authors write them: what each part is called, and that it ends with the block.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const require = createRequire(import.meta.url);
const wasm = await readFile(require.resolve("vscode-oniguruma/release/onig.wasm"));
await oniguruma.loadWASM(wasm.buffer);
const injection = await readFile(new URL("../syntaxes/sonometer.injection.json", import.meta.url), "utf8");
// Stands in for the editor's own grammar of YAML.
const yaml = '{"scopeName":"source.yaml","patterns":[{"name":"entity.name.tag.yaml","match":"[a-z_]+(?=:)"}]}';
const grammars = { "source.yaml": yaml, "sonometer.phrases.injection": injection };
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => textmate.parseRawGrammar(grammars[scope], `${scope}.json`),
  getInjections: (scope) => (scope === "source.yaml" ? ["sonometer.phrases.injection"] : []),
});
const grammar = await registry.loadGrammar("source.yaml");

const text = `markers:
  - label: thanks
    strong: |
      (thank|thanks) @kind ..3.. <email> # a comment
      /re\\/gex/i "as @is" word~ a@b

    weigh: |
      many thanks = 0.41
    hit: |
      (not) a @pattern
`;
const wanted = [
  ["@kind", "variable.other.list.sonometer"],
  ["..3..", "keyword.operator.gap.sonometer"],
  ["<email>", "support.type.class.sonometer"],
  ["# a comment", "comment.line.number-sign.sonometer"],
  ["/re\\/gex/i", "string.regexp.sonometer"],
  ['"as @is"', "string.quoted.double.sonometer"],
  ["0.41", "constant.numeric.weight.sonometer"],
];
const found = new Map();
let state = textmate.INITIAL;
for (const line of text.split("\n")) {
  const result = grammar.tokenizeLine(line, state);
  for (const token of result.tokens) {
    const name = token.scopes.at(-1);
    if (name.endsWith(".sonometer")) {
      found.set(line.slice(token.startIndex, token.endIndex), name);
    }
  }
  state = result.ruleStack;
}
let failed = 0;
for (const [part, name] of wanted) {
  if (found.get(part) !== name) {
    failed += 1;
    console.log(`FAILED  ${part} is ${found.get(part)}, not ${name}`);
  }
}
for (const part of ["@pattern", "@b"]) {
  if (found.has(part)) {
    failed += 1;
    console.log(`FAILED  ${part} is no list there`);
  }
}
console.log(`${wanted.length + 2 - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
