// `sonometer mcp` with the official TypeScript client: see clients.sh. The last word that it prints is how many checks it made.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const command = process.argv[2];
const TEXT = "Thank you so much for waiting. I will send you a replacement today, and I am sorry for the delay.";
const CARD = "My card is 4111 1111 1111 1111, and you can reach me at ann@example.org any time you want.";
let checks = 0;

function check(holds, what) {
  assert.ok(holds, JSON.stringify(what));
  checks += 1;
}

async function all(client) {
  const { tools } = await client.listTools();
  check(tools.length === 12 && tools.every((tool) => tool.inputSchema.type === "object"), tools);
  const call = (name, input) => client.callTool({ name, arguments: input });

  let said = await call("sense", { target: "courtesy", text: TEXT, canonical: true });
  check(said.structuredContent.score > 0 && said.content.length === 2, said);
  check(JSON.parse(said.content[1].text).score === said.structuredContent.score, said);
  said = await call("sense", { target: "personal-data", text: CARD, profile: "discovery", canonical: true });
  check(!JSON.stringify(said).includes("4111") && !JSON.stringify(said).includes("ann@"), said);
  said = await call("sense", { target: "courtesy", text: "x ".repeat(150_000) });
  check(said.isError && said.content[0].text.includes("the limit is 200,000"), said);
  said = await call("fidelity", { target: "courtesy", text: TEXT });
  check(said.structuredContent.fidelity.sufficient, said);
  said = await call("compare", { target: "courtesy", a: { text: TEXT }, b: { text: TEXT } });
  check(said.structuredContent.direction === "unchanged", said);
  said = await call("explain", { target: "courtesy", text: TEXT });
  check(said.structuredContent.markers.length > 0, said);
  said = await call("protocols", { kind: "stage" });
  check(said.structuredContent.entries.every((entry) => entry.kind === "stage"), said);
  said = await call("check", { source: "sonometer: 1" });
  check(!said.structuredContent.usable && said.structuredContent.findings.length > 0, said);
  said = await call("test", { target: "courtesy" });
  check(said.structuredContent.failed === 0, said);
  said = await call("evaluate", { target: "courtesy", items: [{ text: TEXT, label: true }, { text: CARD, label: false }] });
  check(said.structuredContent.items === 2, said);

  const { dive_id } = (await call("dive_open", { stage: "billing-dispute", seed: 3 })).structuredContent;
  said = await call("dive_act", { dive_id, action: "I am sorry about this charge. Let me look into it." });
  check(said.structuredContent.turn === 1 && said.structuredContent.world, said);
  said = await call("dive_close", { dive_id, log: true });
  const [, card, log] = said.content.map((block) => block.text);
  said = await call("verify_card", { card, actions: log });
  check(said.structuredContent.holds, said);

  const { resources } = await client.listResources();
  check(resources.length > 50, resources.length);
  const { contents } = await client.readResource({ uri: "sonometer://docs/protocol" });
  check(contents[0].text.startsWith("# How a protocol is written"), contents);
  const prompt = await client.getPrompt({ name: "improve-protocol", arguments: { source: "a: b", misjudged: "c" } });
  check(prompt.messages[0].content.text.includes("a: b"), prompt);
}

async function connected(transport, use) {
  const client = new Client({ name: "clients.mjs", version: "1" });
  await client.connect(transport);
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

await connected(new StdioClientTransport({ command, args: ["mcp"] }), all);

const server = spawn(command, ["mcp", "--http=127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
try {
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const last = async () => (await lines.next()).value.split(" ").at(-1);
  const address = new URL(await last());
  const token = await last();
  const headers = { authorization: `Bearer ${token}` };
  await connected(new StreamableHTTPClientTransport(address, { requestInit: { headers } }), all);
  await assert.rejects(connected(new StreamableHTTPClientTransport(address), all));
  checks += 1;
} finally {
  server.kill();
}

const manifest = new URL("node_modules/@modelcontextprotocol/sdk/package.json", import.meta.url);
console.log(`the TypeScript client of MCP ${JSON.parse(readFileSync(fileURLToPath(manifest))).version}, checks: ${checks}`);
