// The one error of this package, and how the engine's errors become it.

/** Entries of the package have a class each, and all of them know each other's errors by this. */
const brand = Symbol.for('sonometer.error');

/** An error with its code, its place in what was given, and details for programs. */
export class SonometerError extends Error {
  constructor(code, message, place = '', details = {}, options = undefined) {
    super(message, options);
    this.code = code;
    this.place = place;
    this.details = freeze(details);
  }

  static [Symbol.hasInstance](value) {
    return value?.[brand] === true;
  }

  toJSON() {
    return { code: this.code, message: this.message, place: this.place, details: this.details };
  }
}
Object.defineProperty(SonometerError.prototype, brand, { value: true });
// On the prototype, so that it is not told once more among the members of each error.
Object.defineProperty(SonometerError.prototype, 'name', { value: 'SonometerError', configurable: true, writable: true });

export function invalid(place, message, details, options) {
  return new SonometerError('invalid_request', message, place, details, options);
}

/** Of what the engine throws: `[code, message, place, findings]`. */
export function fromEngine([code, message, place, findings]) {
  return new SonometerError(code, message, place, findings.length > 0 ? { findings: findings.map(finding) } : {});
}

export function finding([code, severity, message, fix, line, column, start, end]) {
  return { code, severity, message, fix, line, column, start, end };
}

/** The same error as that of one interaction of many. */
export function nth(at, error) {
  return within(`interactions[${at}]`, error);
}

/** The same error as that of an interaction which is called `place`. */
export function within(place, error) {
  const inner = error.place === '' || error.place === 'interaction' ? place : `${place}.${error.place}`;
  // Its cause, where it has one, stays: an error is read for it as options are.
  return new SonometerError(error.code, error.message, inner, error.details, error);
}

/** Freezes plain data, all of it. A loop for each kind, since every reading passes here. */
export function freeze(value) {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) freezePart(value[at]);
  } else {
    for (const key in value) freezePart(value[key]);
  }
  return Object.freeze(value);
}

function freezePart(part) {
  if (typeof part === 'object' && part !== null) freeze(part);
}
