// What several tests need.
import assert from 'node:assert/strict';
import { SonometerError } from 'sonometer';

export { thanks } from './thanks.mjs';

/** Does something that must fail, and gives the error back when it is as expected. */
export function refused(work, expected) {
  let thrown;
  try {
    work();
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown instanceof SonometerError, `a SonometerError, not ${thrown}`);
  const { message, ...exact } = expected;
  for (const [name, value] of Object.entries(exact)) {
    if (value instanceof RegExp) assert.match(thrown[name], value);
    else assert.deepEqual(thrown[name], value, `${name} of: ${thrown.message}`);
  }
  if (message) assert.match(thrown.message, message);
  return thrown;
}
