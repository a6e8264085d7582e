// What must be refused of the reader of chats.
import { fromMessages } from 'sonometer/chats';

// @ts-expect-error the module must be waited for
fromMessages([]).interaction;
// @ts-expect-error a number is no chat
await fromMessages(7);
// @ts-expect-error no such form
await fromMessages([], { form: 'opanai' });
// @ts-expect-error nothing of it can be changed
(await fromMessages([])).notices.push('');
