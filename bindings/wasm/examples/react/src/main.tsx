import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import 'sonometer/talk';
import type { SonometerTalk } from 'sonometer/talk';
import { Sensor, init } from 'sonometer/worker';
import { Talk } from './talk.js';
import { useReading } from './use-reading.js';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      // React 19 sets properties of custom elements that have them.
      'sonometer-talk': DetailedHTMLProps<HTMLAttributes<SonometerTalk>, SonometerTalk> &
        Partial<Pick<SonometerTalk, 'talk' | 'sensor'>> & { readonly legend?: string };
    }
  }
}

const EXAMPLE = 'Thank you so much for your help 🙂. This is your fault, you never listen! Mail me at imke@example.org.';

function App() {
  const [sensor, setSensor] = useState<Sensor>();
  const [text, setText] = useState(EXAMPLE);
  const { measured, error } = useReading(sensor, text);
  useEffect(() => {
    void Sensor.shipped('personal-data').then(setSensor);
  }, []);
  return (
    <main>
      <h1>Sonometer and React</h1>
      <label htmlFor="text">Text</label>
      <textarea id="text" value={text} onChange={({ target }) => setText(target.value)} rows={4} cols={60} />
      <h2>By highlight</h2>
      {error !== undefined && <p role="alert">{error.message}</p>}
      {sensor !== undefined && measured !== undefined && (
        <>
          <output htmlFor="text">score {String(measured.reading.score)}</output>
          <Talk sensor={sensor} {...measured} />
        </>
      )}
      <h2>By the element</h2>
      <sonometer-talk sensor={sensor} talk={text} />
    </main>
  );
}

// Vite, webpack and Rollup find the script of the worker by themselves. With esbuild, `npm run build` copies it and the module beside
// this script, and they are named here.
const beside = (name: string) => new URL(name, import.meta.url);
await init(beside('sonometer.wasm'), { worker: () => new Worker(beside('worker-thread.js'), { type: 'module' }) });

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
