// A module of WebAssembly, from whatever it is given as.
import { invalid } from './errors.js';
import { messageOf } from './kind.js';

/** What WebAssembly reads from, of an address or of that itself. Without one, `beside` gives the address of `file` beside the script. */
export async function fetched(source, beside, file) {
  const given = (await source) ?? besideScript(beside, file);
  const isRequest = typeof Request === 'function' && given instanceof Request;
  if (typeof given !== 'string' && !(given instanceof URL) && !isRequest) return given;
  const address = isRequest ? given.url : String(given);
  const fix = `put ${file} there, or give \`init\` its address`;
  let answer;
  try {
    answer = await fetch(given);
  } catch (cause) {
    throw invalid('source', `${address} cannot be fetched (${messageOf(cause)}); ${fix}`, {}, { cause });
  }
  if (!answer.ok) throw invalid('source', `${address} answers ${answer.status}; ${fix}`);
  return answer;
}

function besideScript(beside, file) {
  try {
    return beside();
  } catch (cause) {
    throw invalid('source', `this script is no module, so it does not know where ${file} is; give \`init\` its address`, {}, { cause });
  }
}

/** Why a browser does not start a module. */
export function notStarted(what, cause) {
  const message = `${what} cannot be loaded (${messageOf(cause)}); if a content security policy is the reason, add 'wasm-unsafe-eval' to its script-src`;
  return invalid('source', message, {}, { cause });
}
