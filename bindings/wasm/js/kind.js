// Words for what was given, for messages. They need no engine.

export function kind(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isPromise(value)) return 'a promise';
  if (ArrayBuffer.isView(value)) return 'bytes';
  if (value === undefined) return 'undefined';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Where `await` was forgotten. */
export function isPromise(value) {
  return typeof value === 'object' && typeof value?.then === 'function';
}

export function messageOf(thrown) {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
