// How long a keystroke takes until its effect is on the page, for the bench and the curious: `workbench.keys` in the console.

export interface Keys {
  readonly talk: number[];
  readonly protocol: number[];
}

const MOST = 500;

export class KeyTimes {
  readonly keys: Keys = { talk: [], protocol: [] };
  #begun: { talk?: number; protocol?: number } = {};

  /** A keystroke came; only the last of several that are under way is counted. */
  begin(what: keyof Keys): void {
    this.#begun[what] = performance.now();
  }

  /** What it shows is in the document. */
  end(what: keyof Keys): void {
    const begun = this.#begun[what];
    if (begun === undefined) return;
    delete this.#begun[what];
    const own = this.keys[what];
    own.push(performance.now() - begun);
    if (own.length > MOST) own.shift();
  }
}
