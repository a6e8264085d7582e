// A talk with its evidence, by React alone: `highlight` gives plain data. The element `<sonometer-talk>` shows the same without it.
import type { CSSProperties } from 'react';
import { highlight, type Part } from 'sonometer/highlight';
import type { Reading, Sensor, Shown } from 'sonometer/worker';

interface Props {
  readonly sensor: Sensor;
  readonly reading: Reading;
  readonly shown: readonly Shown[];
}

export function Talk({ sensor, reading, shown }: Props) {
  const turns = highlight(shown, reading, { effects: sensor.effects, markers: sensor.markers });
  return (
    <div className="talk">
      {turns.map(({ role, parts }, at) => (
        <p key={at} dir="auto">
          {role !== undefined && <b dir="auto">{role} </b>}
          {parts.map((part, nth) => (
            <Marked key={nth} part={part} />
          ))}
        </p>
      ))}
    </div>
  );
}

function Marked({ part: { text, marks } }: { readonly part: Part }) {
  const mark = marks.find(({ kind }) => kind === 'evidence');
  if (mark === undefined) return text;
  const told = `${mark.metamarker}, ${mark.effect === 'improves' ? 'good news' : 'bad news'}`;
  const look: CSSProperties = {
    color: 'inherit',
    background: `hsl(${mark.hue} 70% 50% / 0.2)`,
    // The line tells markers apart where colours do not, and bad news have one above as well.
    textDecoration: `${mark.effect === 'worsens' ? 'underline overline' : 'underline'} ${mark.line} 2px hsl(${mark.hue} 60% 45%)`,
  };
  return (
    <mark style={look} title={told}>
      {text}
    </mark>
  );
}
