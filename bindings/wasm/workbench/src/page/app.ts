// The page as a whole: what is typed goes to the workers, what they answer is shown.
import type { Finding } from 'sonometer';
import type { Asks, Compiled, Protocol, Sensed } from '../shared/asks.js';
import { Engines, STALE, type Client } from './client.js';
import { courseView } from './course.js';
import { byId, counted, fill, h, later } from './dom.js';
import { Disk } from './disk.js';
import { divesView } from './dives.js';
import { LATE, LATE_TALK } from './examples.js';
import { Keyboard } from './keyboard.js';
import { KeyTimes } from './key-times.js';
import { manyView } from './many.js';
import { Opening } from './opening.js';
import { protocolEditor } from './protocol.js';
import { readingView, type Why } from './reading.js';
import { Saving } from './saving.js';
import { State } from './state.js';
import { streamView } from './stream.js';
import { marksOf, talkEditor, type Mark } from './talk.js';
import { tabs } from './tabs.js';
import { testsView } from './tests.js';
import { versionsView } from './versions.js';
import { whyView } from './why.js';
import { dialog } from './dialog.js';
import { themes } from './theme.js';
import { Adding } from './adding.js';

/** Milliseconds without typing before tests, course and masks are made anew. */
const PAUSE = 120;
/** And before a screen reader hears of the score. */
const QUIET = 900;

export class App {
  readonly state = new State();
  readonly times = new KeyTimes();
  /** For what must be quick. */
  #quick: Client | undefined;
  /** For everything else. */
  #slow: Promise<Client> | undefined;
  readonly #engines = new Engines();
  #compiling = false;
  #compileAgain = false;
  /** The protocol whose tests were asked for. */
  #tested: Protocol | undefined;

  readonly protocol = protocolEditor(byId('protocol'), this.state, {
    complete: (at) => this.#known('complete', { source: this.state.protocol.source, at }),
    explain: (at) => this.#known('explain', { ...this.state.protocol, at }),
    section: (code) => this.#known('section', { code }),
    fixes: (finding) => this.fixes(finding),
  });
  readonly talk = talkEditor(byId('talk'), this.state, () => this.times.begin('talk'));
  readonly disk = new Disk();
  readonly #reading = readingView(
    this.state,
    (why) => void this.why(why),
    (mark) => this.talk.goTo(mark.from, mark.to),
  );
  readonly #tests = testsView(
    this.state,
    (line) => this.protocol.goTo(line),
    () => void this.cover(),
  );
  readonly #course = courseView((turn) => {
    const own = this.state.talk.turns[turn];
    if (own !== undefined) this.talk.goTo(own.from, own.from + own.content.length);
  });
  readonly #stream = streamView(this.state, () => this.refresh());
  readonly #many = manyView(
    this.state,
    () => this.slow(),
    () => this.#engines.start(),
    (talk) => this.opening.openTalk(talk),
  );
  readonly #versions = versionsView(
    this.state,
    () => this.slow(),
    () => this.#many.corpus(),
    {
      openTalk: (talk) => this.opening.openTalk(talk),
      restore: (source) => this.protocol.change(source),
    },
  );
  readonly #dives = divesView(this.state, () => this.slow());
  readonly #tabs = tabs(document.querySelector<HTMLElement>('[role=tablist]') ?? document.body, () => this.refresh());
  readonly opening = new Opening(this.state, this.protocol, this.talk, () => this.slow(), {
    corpus: (name, text) => {
      this.#tabs.show('many');
      return this.#many.load(name, text);
    },
    card: (text, log) => {
      this.#tabs.show('dives');
      this.#dives.drop(text, log);
    },
    stage: (text) => {
      this.#tabs.show('dives');
      this.#dives.openSource(text);
    },
  });
  readonly saving = new Saving(this.state, this.disk, () => this.slow());
  readonly adding = new Adding(this.state, this.protocol, this.talk);

  async begin(): Promise<void> {
    themes();
    this.#hear();
    new Keyboard(this);
    const shared = await this.opening.fromAddress();
    const given = await this.disk.begin((file) => this.opening.fromDisk(file));
    if (!shared && !given) {
      this.protocol.open(LATE);
      this.talk.open(LATE_TALK);
    }
    this.#quick = await this.#engines.start();
    fill(byId('engine'), this.#engines.fingerprint);
    await this.#compile();
    performance.mark('first reading');
    // For the bench and the tests.
    Object.assign(window, { workbench: { keys: this.times.keys, state: this.state } });
    document.documentElement.dataset['ready'] = 'true';
    this.refresh();
  }

  /** The worker for what may take a while; made when it is first needed. */
  slow(): Promise<Client> {
    this.#slow ??= this.#engines.start();
    return this.#slow;
  }

  #hear(): void {
    const { state } = this;
    const pause = later(PAUSE, () => this.refresh());
    const announce = later(QUIET, () => {
      const { reading } = state;
      if (reading !== undefined)
        fill(
          byId('live'),
          reading.score === null ? 'too little to measure' : `score ${reading.score}, ${counted(reading.evidence.length, 'place')} found`,
        );
    });
    state.on(['protocol'], () => {
      this.times.begin('protocol');
      void this.#compile();
      pause();
    });
    state.on(['talk'], () => {
      this.#pressed();
      void this.#sense();
      pause();
    });
    state.on(['reading'], () => {
      const marks: Mark[] = state.reading === undefined ? [] : marksOf(state.reading, state.talk);
      this.talk.mark(marks, state.tones, state.talk);
      this.#reading.show(marks);
      announce();
    });
    state.on(['facts'], () => {
      const { facts } = state;
      fill(byId('name'), facts === undefined ? '' : `${facts.id}@${facts.version}`);
      this.adding.show();
    });
    state.on(['findings'], () => {
      this.protocol.show(state.findings);
      this.#showFindings();
    });
    state.on(['tests'], () => this.#tests.show());
    state.on(['baseline', 'corpus'], () => this.refresh());
    byId('as-text').addEventListener('click', () => state.choose(false));
    byId('as-turns').addEventListener('click', () => state.choose(true));
    byId('tests-state').addEventListener('click', () => {
      this.#tabs.show('tests');
      byId('below').scrollIntoView();
      byId('tab-tests').focus();
    });
    byId('fmt').addEventListener('click', () => void this.format());
    byId('keep').addEventListener('click', () => this.keep());
    byId('help').addEventListener('click', () => Keyboard.help());
  }

  #pressed(): void {
    byId('as-text').setAttribute('aria-pressed', String(!this.state.asTurns));
    byId('as-turns').setAttribute('aria-pressed', String(this.state.asTurns));
  }

  /** Compiles the newest text. While one is compiled, no other is sent: the next is whatever is newest then. */
  async #compile(): Promise<void> {
    if (this.#quick === undefined) return;
    if (this.#compiling) {
      this.#compileAgain = true;
      return;
    }
    this.#compiling = true;
    do {
      this.#compileAgain = false;
      const { protocol, input } = this.state;
      this.#take(await this.#quick.ask('compile', { ...protocol, talk: input }), protocol, input);
    } while (this.#compileAgain);
    this.#compiling = false;
  }

  #take(compiled: Compiled, of: Protocol, talk: unknown): void {
    const { state } = this;
    state.findings = compiled.findings;
    state.message = compiled.message ?? '';
    if (compiled.facts !== undefined) state.setFacts(compiled.facts);
    const isBroken = compiled.facts === undefined && state.facts !== undefined;
    state.isBroken = isBroken;
    fill(byId('state'), isBroken ? 'by the last version without errors' : '');
    if (isBroken) {
      fill(byId('tab-tests'), 'Tests');
      byId('tests-state').hidden = true;
      // Once it is mended they are run again, though the text may be as before.
      this.#tested = undefined;
      state.tell('tests');
    }
    // Typed on since: a newer answer is under way.
    if (state.protocol === of) state.tell('findings');
    if (compiled.reading !== undefined && state.input === talk) this.#show(compiled.reading);
    if (state.protocol === of) this.times.end('protocol');
  }

  async #sense(): Promise<void> {
    if (this.#quick === undefined) return;
    const { input } = this.state;
    const sensed = await this.#quick.newest('sense', { talk: input }).catch((error: unknown): Sensed => ({ message: String(error) }));
    // A stale answer is dropped: what was typed since is under way.
    if (sensed === STALE || this.state.input !== input) return;
    this.#show(sensed);
    this.times.end('talk');
  }

  #show({ reading, message = '' }: Sensed): void {
    this.state.reading = reading;
    this.state.unread = message;
    this.state.tell('reading');
  }

  #showFindings(): void {
    const { findings, message } = this.state;
    const item = (finding: Finding) =>
      h(
        'li',
        {},
        h('span', { class: finding.severity === 'error' ? 'warn' : 'dim' }, finding.severity),
        h(
          'button',
          { type: 'button', class: 'plain', onclick: () => this.protocol.goTo(finding.line) },
          `${finding.line}: ${finding.message}; ${finding.fix}`,
        ),
      );
    fill(
      byId('findings'),
      message === '' ? null : h('p', { class: 'warn' }, message),
      findings.length === 0 ? null : h('ul', {}, findings.slice(0, 20).map(item)),
      findings.length === 0 ? null : h('p', { class: 'dim' }, h('kbd', {}, 'Alt+Enter'), ' applies a fix where there is one.'),
    );
  }

  /** What the quick worker knows; nothing while there is none, and where something newer was asked. */
  async #known<K extends 'complete' | 'explain' | 'section'>(kind: K, takes: Asks[K]['takes']): Promise<Asks[K]['gives'] | undefined> {
    const answer = await this.#quick?.newest(kind, takes).catch(() => undefined);
    return answer === STALE ? undefined : answer;
  }

  async fixes(finding: Finding) {
    const slow = await this.slow();
    return slow.ask('fixes', { ...this.state.protocol, finding }).catch(() => []);
  }

  /** What may be a little late: the view below, of what is there now. */
  refresh(): void {
    if (this.#quick === undefined || this.state.facts === undefined) return;
    const { state } = this;
    const { protocol, input } = state;
    const open = this.#tabs.current();
    void (async () => {
      const slow = await this.slow();
      try {
        // Tests run whatever is open: their sum is what authors look at last before they leave.
        const isNew = this.#tested !== protocol;
        this.#tested = protocol;
        const tests = isNew ? await slow.newest('tests', { ...protocol, coverage: false }) : STALE;
        if (tests !== STALE && state.protocol === protocol) {
          state.tests = tests;
          state.tell('tests');
          const failed = tests.tests.filter((test) => !test.passed).length;
          const sum = tests.tests.length === 0 ? '' : failed === 0 ? ` ✓ ${tests.tests.length}` : ` ✗ ${failed}`;
          fill(byId('tab-tests'), `Tests${sum}`);
          const short = byId('tests-state');
          short.hidden = tests.tests.length === 0;
          short.className = failed === 0 ? 'plain good' : 'plain warn';
          fill(short, failed === 0 ? `✓ ${counted(tests.tests.length, 'test')}` : `✗ ${counted(failed, 'test')} of ${tests.tests.length} failed`);
        }
      } catch {
        // The findings say what is wrong with it.
      }
      if (open === 'course') {
        const course = await slow.newest('course', { ...protocol, talk: input }).catch(() => undefined);
        if (course !== STALE) this.#course.show(course);
      } else if (open === 'stream') {
        await this.#showStream(slow, protocol);
      } else if (open === 'many') this.#many.show();
      else if (open === 'versions') await this.#versions.show();
      else if (open === 'dives') await this.#dives.show();
    })();
  }

  async #showStream(slow: Client, protocol: Protocol): Promise<void> {
    const talk = this.state.input;
    const trouble = (error: unknown) => (error instanceof Error ? error.message : String(error));
    const masked = await slow.newest('masked', { ...protocol, talk, mask: this.#stream.mask() }).catch(trouble);
    if (typeof masked === 'string') this.#stream.showMasked([], masked);
    else if (masked !== STALE) this.#stream.showMasked(masked);
    const steps = await slow.newest('stream', { ...protocol, talk }).catch(trouble);
    if (typeof steps === 'string') this.#stream.showStream([], steps);
    else if (steps !== STALE) this.#stream.showStream(steps);
  }

  async cover(): Promise<void> {
    const slow = await this.slow();
    const { protocol } = this.state;
    const tests = await slow.ask('tests', { ...protocol, coverage: true });
    if (this.state.protocol !== protocol) return;
    this.state.tests = tests;
    this.state.tell('tests');
    if (tests.coverage !== undefined) this.#tests.showCoverage(tests.coverage);
  }

  async why(why: Why): Promise<void> {
    const ledgers = (await this.#quick?.ask('ledger', { talk: this.state.input })) ?? [];
    const { reading } = this.state;
    const [name, value] =
      why.of === 'marker'
        ? [why.marker, reading?.resonance[why.marker]]
        : why.of === 'score'
          ? ['score', reading?.score]
          : ['fidelity', reading?.fidelity.index];
    dialog(`Why ${name} ${value ?? 'none'}?`, whyView(ledgers, why));
  }

  async format(): Promise<void> {
    const slow = await this.slow();
    const { protocol } = this.state;
    try {
      const text = await slow.ask('format', protocol);
      if (this.state.protocol === protocol) this.protocol.change(text);
    } catch (error) {
      fill(byId('findings'), h('p', { class: 'warn' }, `Not formatted: ${error instanceof Error ? error.message : error}`));
    }
  }

  /** The version as it is now, to compare what is written next. */
  keep(): void {
    const { facts, protocol } = this.state;
    this.state.baseline = { name: `${facts?.id ?? 'protocol'}@${facts?.version ?? '?'} as kept`, protocol };
    this.state.tell('baseline');
    this.#tabs.show('versions');
  }

  mend(): Promise<boolean> {
    return this.protocol.mend();
  }
}
