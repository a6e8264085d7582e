// The worker: the engine, and what the page asks of it. The page runs two, one for what must be quick and one for the rest.
import { start } from '#package/engine.js';
import { SonometerError, fingerprint } from 'sonometer';
import type { Answer, Ask, Asks, Kind } from './shared/asks.js';
import { complete, explain, section } from './work/assist.js';
import { fetched, filesAt, shipped, stageFacts } from './work/catalogue.js';
import { items, labelled, load, talkOf } from './work/corpus.js';
import { course, masked, stream } from './work/course.js';
import * as dives from './work/dives.js';
import { compile, compiled, fixes, format, ledger, sense, tests } from './work/instrument.js';
import { evaluate, measure, moved, overview } from './work/many.js';

type Work = { readonly [K in Kind]: (takes: Asks[K]['takes'], tell: (share: number) => void) => Asks[K]['gives'] | Promise<Asks[K]['gives']> };

const work: Work = {
  start: async ({ module, base }) => {
    filesAt(base);
    const compiled = await compiledModule(module);
    await start(compiled);
    return { fingerprint: fingerprint(), module: compiled };
  },
  compile,
  sense: ({ talk }) => sense(talk),
  ledger: ({ talk }) => ledger(talk),
  course: (protocol) => course(protocol, protocol.talk),
  tests: (protocol) => JSON.parse(tests(protocol, protocol.coverage)) as Asks['tests']['gives'],
  format,
  complete: ({ source, at }) => complete(source, at),
  explain: (protocol) => explain(protocol, protocol.at),
  section: ({ code }) => section(code),
  fixes: (protocol) => fixes(protocol, protocol.finding),
  masked: (protocol) => masked(protocol, protocol.talk, protocol.mask),
  stream: (protocol) => stream(protocol, protocol.talk),
  report: (protocol) => compiled(protocol).page(protocol.talk),
  shipped,
  fetched: ({ name }) => fetched(name),
  stages: stageFacts,
  load: ({ name, text }) => load(name, text),
  read: ({ text }) => talkOf(JSON.parse(text)),
  talk: ({ nth }) => items[nth]?.talk ?? '',
  measure: (protocol, tell) => measure(protocol, tell),
  overview: (protocol) => overview(protocol),
  moved: ({ before, after, talk }) => moved(before, after, talk),
  labelled,
  evaluate: (protocol) => evaluate(protocol, protocol, protocol.label, protocol.threshold),
  dive: ({ stage, seed, shelf }) => dives.open(stage, seed, shelf),
  act: ({ action }) => dives.act(action),
  close: dives.close,
  card: ({ card, log, keys }) => dives.verify(card, log, keys),
};

/** From an address, bytes, or another worker that compiled it. */
async function compiledModule(from: ArrayBuffer | string | WebAssembly.Module): Promise<WebAssembly.Module> {
  if (from instanceof WebAssembly.Module) return from;
  if (typeof from !== 'string') return WebAssembly.compile(from);
  const answer = await fetch(from);
  if (!answer.ok) throw new Error(`${from} answers ${answer.status}`);
  // A server that does not know the type of the file is no reason to fail.
  if (answer.headers.get('content-type') !== 'application/wasm') return WebAssembly.compile(await answer.arrayBuffer());
  return WebAssembly.compileStreaming(answer);
}

const answer = (told: Answer) => self.postMessage(told);

async function serve<K extends Kind>({ number, kind, takes }: Ask<K>): Promise<void> {
  try {
    const gives = await work[kind](takes, (progress) => answer({ number, progress }));
    answer({ number, gives });
  } catch (error) {
    const told = error instanceof SonometerError ? error : undefined;
    const message = error instanceof Error ? error.message : String(error);
    answer({ number, trouble: { message, place: told?.place ?? '', findings: [...(told?.details.findings ?? [])] } });
  }
}

/** Asks that wait: of several about what is typed, only the newest is worth its time. */
const NEWEST: readonly Kind[] = ['compile', 'sense', 'course', 'tests', 'masked', 'stream', 'fixes', 'ledger', 'complete', 'explain'];
const waiting: Ask[] = [];
let busy = false;

self.onmessage = ({ data }: MessageEvent<Ask>) => {
  waiting.push(data);
  if (!busy) void turn();
};

async function turn(): Promise<void> {
  busy = true;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    // What was posted meanwhile comes in first, so that older texts can be dropped.
    await new Promise<void>((resolve) => {
      queue.port1.onmessage = () => resolve();
      queue.port2.postMessage(null);
    });
    const { kind, number } = next;
    if (NEWEST.includes(kind) && waiting.some((later) => later.kind === kind))
      answer({ number, trouble: { message: 'stale', place: '', findings: [] } });
    else await serve(next);
  }
  busy = false;
}

const queue = new MessageChannel();
