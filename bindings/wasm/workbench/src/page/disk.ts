// Files on the disk, through `sonometer workbench`: read, followed while others change them, written back. Without the command there
// are none.

export interface DiskFile {
  readonly name: string;
  readonly text: string;
}

interface Told {
  readonly state: number;
  readonly files: readonly DiskFile[];
}

/** Milliseconds before the command is asked again after it did not answer. */
const WAIT = 2000;

export class Disk {
  /** The token of the command, which pages of others do not know. */
  readonly #token = document.querySelector<HTMLMetaElement>('meta[name=workbench-token]')?.content;
  readonly #texts = new Map<string, string>();
  #state = 0;

  get isOpen(): boolean {
    return this.#token !== undefined;
  }

  /** Reads the files that were named and follows their changes; whether there are any. */
  async begin(open: (file: DiskFile) => void | Promise<void>): Promise<boolean> {
    if (this.#token === undefined) return false;
    const first = await this.#ask('api/files');
    await this.#take(first, open);
    void this.#follow(open);
    return first.files.length > 0;
  }

  async write(name: string, text: string): Promise<void> {
    this.#texts.set(name, text);
    const answer = await fetch(`api/files?name=${encodeURIComponent(name)}`, { method: 'PUT', body: text, headers: this.#headers() });
    if (!answer.ok) throw new Error(await answer.text());
  }

  async #take({ state, files }: Told, open: (file: DiskFile) => void | Promise<void>): Promise<void> {
    this.#state = state;
    for (const file of files) {
      // What was written from here comes back; it is known.
      if (this.#texts.get(file.name) === file.text) continue;
      this.#texts.set(file.name, file.text);
      await open(file);
    }
  }

  async #follow(open: (file: DiskFile) => void | Promise<void>): Promise<never> {
    for (;;) {
      try {
        await this.#take(await this.#ask(`api/files?since=${this.#state}`), open);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, WAIT));
      }
    }
  }

  async #ask(path: string): Promise<Told> {
    const answer = await fetch(path, { headers: this.#headers() });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Told;
  }

  #headers(): Record<string, string> {
    return { 'x-workbench-token': this.#token ?? '' };
  }
}
