// The turns of an interaction as they may be shown: the text that a guard would let pass, and what its masks stand for.
import { freeze } from './errors.js';

const TOOLS = ['tool', 'function'];
const SPEECH = { text: 'text', input_text: 'text', output_text: 'text', refusal: 'refusal' };

/**
 * `input` is an interaction as `written` gives it and the engine takes it, `open` makes a session that releases text. Only what the engine
 * releases is handed out, so a mistake here can misplace a mark but never uncover what is masked.
 */
export function shownBy(input, open) {
  const { text, turns } = spoken(input);
  const shown = (turns ?? [{}]).map(({ role }) => ({ role, text: '', masks: [] }));
  const session = open();
  try {
    const take = ({ events, released = [] }) => {
      for (const part of released) shown[part.segment].text += part.text;
      for (const { event, segment, start, end, shown: instead } of events) {
        if (event === 'mask') shown[segment].masks.push({ start, end, shown: instead });
      }
    };
    if (turns === undefined) take(session.push(text));
    else for (const turn of turns) take(session.pushSegment(turn));
    take(session.end());
  } finally {
    session.free();
  }
  for (const { masks } of shown) masks.sort((a, b) => a.start - b.start);
  return freeze(shown);
}

/** The text of an interaction, or what its turns say: the engine numbers segments in this way. */
function spoken({ text, json }) {
  if (!json) return { text };
  const whole = JSON.parse(text);
  const segments = Array.isArray(whole) ? whole : whole.segments;
  if (segments === undefined) return { text: whole.content };
  return { turns: segments.map(turn).filter((one) => one !== undefined) };
}

/** A turn, or a message of a chat; `undefined` if nobody says anything in it. */
function turn(message) {
  const { role, content, refusal, audio } = message;
  if (typeof role !== 'string' || TOOLS.includes(role.trim())) return undefined;
  const calls = [message.tool_calls, message.function_call].some((call) => call !== undefined && call !== null && call.length !== 0);
  const beside = typeof refusal === 'string' ? refusal : audio?.transcript;
  const parts = Array.isArray(content) ? content.map((part) => part[SPEECH[part.type]]) : [calls && content === '' ? undefined : content];
  const texts = [...parts, beside].filter((text) => typeof text === 'string');
  return texts.length > 0 ? { role, content: joined(texts) } : undefined;
}

/** Parts of one message have a space between them, or a line ends. */
function joined(texts) {
  return texts.filter((text) => text !== '').reduce((whole, text) => whole + (whole === '' || /[ \t\r\n]$/.test(whole) || /^[ \t\r\n]/.test(text) ? '' : '\n') + text, '');
}
