// Chats of other programs as turns, read by a small module of their own, which is loaded at the first use.
import * as glue from './chats/glue.js';
import { SonometerError, freeze, invalid } from './errors.js';
import { toJson, wantWhole } from './json.js';
import { kind } from './kind.js';
import { known } from './options.js';

/** `open` gives what the module is read from, `failed` the error where it does not start. */
export function reader({ open, failed }) {
  let loading;

  /** Loads the module; the first call decides from where. Further calls wait for the same. */
  function init(from) {
    loading ??= start(from).catch((error) => {
      // Once the reason is gone, another call may succeed.
      loading = undefined;
      throw error;
    });
    return loading;
  }

  async function start(from) {
    const readable = await open(from);
    try {
      await glue.default({ module_or_path: readable });
    } catch (cause) {
      throw failed(cause);
    }
  }

  /** The turns of a chat, and what else it holds. */
  async function fromMessages(messages, options = {}) {
    const { form } = known('options', options, ['form']);
    if (form !== undefined && typeof form !== 'string') throw invalid('options.form', `the name of a form is needed, not ${kind(form)}`);
    const json = written(messages);
    await init();
    const [told, message, place] = glue.read(json, form);
    if (message !== undefined) throw new SonometerError(told, message, place);
    return freeze(JSON.parse(told));
  }

  return { init, fromMessages };
}

/** JSON text as it is; anything else as JSON. */
function written(messages) {
  if (typeof messages === 'string') {
    wantWhole('messages', messages);
    return messages;
  }
  if (['an object', 'a list'].includes(kind(messages))) return toJson(messages, 'messages', 'messages');
  throw invalid('messages', `a list of messages, an object that holds them, or its JSON text is needed, not ${kind(messages)}`);
}
