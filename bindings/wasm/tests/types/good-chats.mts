// What must be accepted of the reader of chats. Never run; `tsc --strict` reads it.
import { Sensor } from 'sonometer';
import { SonometerError, fromMessages, init } from 'sonometer/chats';
import type { Apart, ChatTurn, MessageForm, Messages } from 'sonometer/chats';

await init('/chats.wasm');
await init(new Uint8Array(8));
const form: MessageForm = 'langchain';
const read: Messages = await fromMessages([{ type: 'human', content: 'Hi!' }], { form });
await fromMessages('{"contents": []}', {});
const turns: readonly ChatTurn[] = read.interaction.segments;
const seconds: number | undefined = turns[0]!.timestamp;
const calls: readonly Apart[] = read.apart.filter(({ kind }) => kind === 'tool_call');
const score: number | null = Sensor.shipped('courtesy').sense(read.interaction).score;
void [seconds, calls, score, read.places, read.notices, SonometerError];
