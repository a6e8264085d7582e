// What a caller does with openapi-fetch and the types that openapi-typescript made of the description: `node uses_it.js ADDRESS TOKEN`.
import createClient from "openapi-fetch";
import type { components, paths } from "./description.js";

type Schemas = components["schemas"];

const KIND = "Good morning! Thank you so much for your patience today, I really appreciate it.";
const [address, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });
const courtesy: Schemas["TargetRef"] = { type: "protocol", id: "courtesy" };

function holds(condition: boolean, what: unknown): asserts condition {
  if (!condition) throw new Error(`does not hold: ${JSON.stringify(what)}`);
}

/** The answer, or the refusal as an error. */
function good<T>({ data, error }: { data?: T; error?: Schemas["Error"] }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function senses(): Promise<void> {
  const body: Schemas["SenseRequest"] = {
    target: courtesy,
    interaction: { content: KIND },
    options: { profile: "detailed", offsets: true },
  };
  const reading = good(await client.POST("/api/v1/sense", { body }));
  // With a callback it would be a job.
  holds("score" in reading, reading);
  const { score, evidence, fidelity, ics, profile } = reading;
  holds(score > 0 && fidelity.sufficient && ics.consumed > 0 && profile === "detailed", reading);
  holds(evidence.every((piece) => piece.metamarker.length > 0 && piece.score >= 0), evidence);
  const talk: Schemas["TranscriptInteraction"] = { segments: [{ role: "agent", content: KIND, timestamp: 0 }] };
  const compared = await client.POST("/api/v1/sense/compare", {
    body: { target: courtesy, interaction_a: { content: KIND }, interaction_b: talk },
  });
  holds(good(compared).delta.direction === "unchanged", compared.data);
}

async function refuses(): Promise<void> {
  const body: Schemas["SenseRequest"] = { target: { type: "protocol", id: "no-such-protocol" }, interaction: { content: KIND } };
  const { error, response } = await client.POST("/api/v1/sense", { body });
  holds(response.status === 404 && error?.error.code === "target_not_found", error);
}

async function batches(): Promise<void> {
  const body = (count: number): Schemas["SenseBatchRequest"] => ({
    target: courtesy,
    interactions: Array.from({ length: count }, (_, number) => ({ id: String(number), content: KIND })),
  });
  const batch = good(await client.POST("/api/v1/sense/batch", { body: body(3) }));
  holds("results" in batch && batch.summary.total === 3, batch);
  const queued = good(await client.POST("/api/v1/sense/batch", { body: body(50) }));
  holds("job_id" in queued, queued);
  const asked = { params: { path: { id: queued.job_id } } };
  let job = good(await client.GET("/api/v1/jobs/{id}", asked));
  for (let times = 0; job.status === "processing" && times < 300; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    job = good(await client.GET("/api/v1/jobs/{id}", asked));
  }
  const { result } = job;
  holds(result !== undefined && "results" in result && result.summary.total === 50, job);
}

async function streams(): Promise<void> {
  const body: Schemas["SenseStreamRequest"] = {
    target: courtesy,
    interaction: { content: KIND },
    stream: { emit_partial: true, interval_ms: 0 },
  };
  const answer = await client.POST("/api/v1/sense/stream", { body, parseAs: "stream" });
  const stream = good(answer);
  holds(stream !== null, stream);
  let text = "";
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
  }
  const told = text.split("\n\n").filter((event) => event.startsWith("event: "));
  const last = told.at(-1) ?? "";
  const data = JSON.parse(last.split("\ndata: ")[1] ?? "null") as Schemas["CompleteData"];
  holds(told.length > 2 && last.startsWith("event: complete\n") && data.ics_consumed > 0, told);
  const id = /\nid: (.*)\n/.exec(last)?.[1] ?? "";
  const again = await client.POST("/api/v1/sense/stream", { body, params: { header: { "Last-Event-ID": id } } });
  holds(again.response.status === 204, again.response.status);
}

async function dives(): Promise<void> {
  const opened = good(await client.POST("/api/v1/dive/open", { body: { stage_id: "billing-dispute", seed: 7 } }));
  const params = { path: { dive_id: opened.dive_id } };
  const action = "I am so sorry about that. I understand how frustrating it is to call for the third time.";
  const step = good(await client.POST("/api/v1/dive/{dive_id}/act", { params, body: { action, turn: 1 } }));
  holds(step.observation.turn === 1, step);
  const card = good(await client.POST("/api/v1/dive/{dive_id}/close", { params }));
  const keys = good(await client.GET("/api/v1/keys"));
  holds(card.verdict.reason === "closed_early" && card.signature.startsWith(`ed25519:${keys.keys[0]?.key_id}:`), card);
}

async function bills(): Promise<void> {
  const charges = good(await client.GET("/api/v1/usage/charges", { params: { query: { limit: 5 } } }));
  holds(charges.charges.length === 5 && (charges.charges[0]?.ics_consumed ?? 0) > 0, charges);
  const file = await client.GET("/api/v1/usage/export", { params: { query: { format: "csv" } }, parseAs: "text" });
  holds(good(file).startsWith("timestamp,"), file.data);
}

await senses();
await refuses();
await batches();
await streams();
await dives();
await bills();
