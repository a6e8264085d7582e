import type { WasmSource } from './index.js';

export { SonometerError } from './index.js';

/** The forms in which programs write chats. `openai` and `anthropic` are read alike. */
export type MessageForm =
  | 'openai'
  | 'anthropic'
  | 'gemini'
  | 'ai-sdk'
  | 'langchain'
  | 'sharegpt'
  | 'vcon'
  | 'contact-lens'
  | 'twilio'
  | 'bedrock'
  | 'assistants'
  | 'batch'
  | 'chosen'
  | 'rejected';

/** A turn of a chat. */
export interface ChatTurn {
  readonly role: string;
  readonly content: string;
  /** Seconds, where the chat has times. */
  readonly timestamp?: number;
}

/** Something in a chat that nobody said. */
export interface Apart {
  /** Its path in the JSON, such as `messages[1].tool_calls[0]`. */
  readonly place: string;
  readonly kind: 'tool_call' | 'tool_result' | 'reasoning' | 'media';
  /** The name of a tool, or the number of the call that a result is of; else the type as written. */
  readonly name: string;
  /** The arguments of a call, a result or a reasoning, as written; empty for pictures, sound and files. */
  readonly text: string;
}

/** A chat that was read. */
export interface Messages {
  /** The form in which it was written: the keys decide, unless one was named. */
  readonly form: Exclude<MessageForm, 'anthropic'>;
  /** What was said; `sense` and all other methods take it. */
  readonly interaction: { readonly segments: readonly ChatTurn[] };
  /** Where each turn was, such as `messages[0].content`. */
  readonly places: readonly string[];
  /** What nobody said. It is not measured. */
  readonly apart: readonly Apart[];
  /** What was skipped, one sentence each. */
  readonly notices: readonly string[];
}

export interface MessageOptions {
  /** The form, where its keys are not to decide. */
  readonly form?: MessageForm | undefined;
}

/**
 * Reads a chat as other programs write it: messages of OpenAI, Anthropic, Gemini, LangChain, ShareGPT and Vercel's AI SDK, requests and responses
 * that hold them, vCons, and transcripts of Contact Lens and Twilio. The module that reads them is loaded at the first call.
 *
 * @param messages The list or object, or its JSON text
 * @throws {SonometerError} (rejects) `invalid_request` with the place of the first thing that is wrong, or if nobody says anything
 */
export function fromMessages(messages: string | object, options?: MessageOptions): Promise<Messages>;

/** Loads the module from another place than beside the script: before the first use, and only where bundlers do not move it there. */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;
