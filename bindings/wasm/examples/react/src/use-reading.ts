// A reading that follows what is typed: the newest text wins, and what is not wanted any more is cancelled.
import { useEffect, useState } from 'react';
import type { InteractionInput, Reading, Sensor, Shown } from 'sonometer/worker';

export interface Measured {
  readonly reading: Reading;
  readonly shown: readonly Shown[];
}

export function useReading(sensor: Sensor | undefined, talk: InteractionInput): { measured?: Measured; error?: Error } {
  const [state, setState] = useState<{ measured?: Measured; error?: Error }>({});
  useEffect(() => {
    if (sensor === undefined) return undefined;
    const cancel = new AbortController();
    const { signal } = cancel;
    Promise.all([sensor.sense(talk, { signal }), sensor.shown(talk, { signal })]).then(
      ([reading, shown]) => setState({ measured: { reading, shown } }),
      (error: unknown) => {
        if (!signal.aborted) setState({ error: error instanceof Error ? error : new Error(String(error)) });
      },
    );
    return () => cancel.abort();
  }, [sensor, talk]);
  return state;
}
