// Sources of protocols, metrics, blueprints and stages, on their way to the engine: text as it is, an object as JSON.
import { invalid } from './errors.js';
import { wantText } from './interaction.js';
import { kind, messageOf } from './kind.js';

/** The text of a source; `what` it is the source of, for people. What ships is made by `shipped` of the class `name`. */
export function sourceText(place, source, what, name = undefined) {
  if (typeof source === 'string') {
    wantText(place, source);
    if (name !== undefined && /^[\w.@/\\-]{1,99}$/.test(source)) throw invalid(place, noSource(source, what, name));
    return source;
  }
  if (kind(source) !== 'an object') {
    throw invalid(place, `the text or the object of a ${what} is needed, not ${kind(source)}`);
  }
  let text;
  try {
    text = JSON.stringify(source);
  } catch (cause) {
    throw invalid(place, `this cannot be written as JSON (${messageOf(cause)})`, {}, { cause });
  }
  if (text === undefined) throw invalid(place, 'this has no JSON form');
  return text;
}

/** What to write instead of a single word, which is the source of nothing. */
function noSource(word, what, name) {
  const fix = /\.(ya?ml|json)$/i.test(word)
    ? `give the text of the file, in Node \`readFileSync('${word}', 'utf8')\``
    : `write \`${name}.shipped('${word}')\` for what ships`;
  return `\`${word}\` is a name, not the source of a ${what}; ${fix}`;
}

/** The texts of sources that stand on a shelf. */
export function shelfTexts(shelf) {
  if (!Array.isArray(shelf)) throw invalid('options.shelf', `a list of sources is needed, not ${kind(shelf)}`);
  return shelf.map((other, at) => sourceText(`options.shelf[${at}]`, other, 'protocol, metric or blueprint'));
}

/** Paths and texts of list files, one after the other. */
export function listTexts(files) {
  if (typeof files !== 'object' || files === null || Array.isArray(files)) {
    throw invalid('options.files', `an object of paths and texts is needed, not ${kind(files)}`);
  }
  for (const [path, text] of Object.entries(files)) wantText(`options.files['${path}']`, text);
  return Object.entries(files).flat();
}

/** What to write instead of `new Sensor(…)`, of whose arguments the first is given. */
export function constructorOf(name, given) {
  const shipped = typeof given === 'string' && /^[\w.@-]{1,99}$/.test(given) ? `'${given}'` : 'name';
  return `\`new ${name}\` is not used; write \`${name}.shipped(${shipped})\` for what ships, or \`${name}.fromSource(source)\` for a file of your own`;
}
