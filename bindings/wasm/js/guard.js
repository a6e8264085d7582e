// A stream that holds text back until it may be shown, over a session of this page or of a worker.
import { isEmpty } from './empty.js';
import { invalid } from './errors.js';

const key = Symbol();

/**
 * A stream of text that lets pass what no masked pattern can reach any more, masked where the protocol says so, and holds back the rest.
 * `reading` is that of all that came in, once the stream has closed.
 */
export class Guard extends TransformStream {
  constructor(secret, session, onStep) {
    if (secret !== key) throw invalid('', 'guards are made by `sensor.guard()`');
    let settle;
    super({
      async transform(chunk, controller) {
        if (!isEmpty(chunk)) await tell(await session.push(chunk), controller);
      },
      async flush(controller) {
        await tell(await session.end(), controller);
        settle.resolve(await session.finish());
      },
    });
    const reading = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    // Who does not wait for it need not hear of its failure: the stream tells of that too.
    reading.catch(() => {});
    // Chromium does not tell a transformer that its stream was cancelled or has failed, so the text is handed on by a stream that hears of both.
    const text = super.readable.getReader();
    text.closed.catch(fail);
    const passed = {
      async pull(controller) {
        const { done, value } = await text.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel(reason) {
        fail(reason ?? invalid('', 'the stream was cancelled before its end'));
        return text.cancel(reason);
      },
    };
    const readable = new ReadableStream(passed, { highWaterMark: 0 });
    Object.defineProperties(this, { readable: { value: readable }, reading: { value: reading, enumerable: true } });

    async function tell(step, controller) {
      // First, so that what it throws, at once or later, also stops the text that it heard of.
      await onStep?.(step);
      for (const { text } of step.released ?? []) controller.enqueue(text);
    }

    function fail(why) {
      settle.reject(why);
      session.free();
    }
  }
}

export function guard(session, onStep) {
  return new Guard(key, session, onStep);
}
