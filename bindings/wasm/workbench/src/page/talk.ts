// The editor of the talk, with the evidence marked in place.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, hoverTooltip, keymap, type DecorationSet } from '@codemirror/view';
import type { Evidence, Reading } from 'sonometer';
import { h, number } from './dom.js';
import { nonce } from './protocol.js';
import type { State } from './state.js';
import { hueClass, said, type Tones } from './tones.js';
import type { PlacedTurn, TypedTalk } from './talk-text.js';

/** A place in what was typed, and what was found there. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly marker: string;
  readonly score: number | undefined;
  /** Whether it counts, or nearly did. */
  readonly kind: 'evidence' | 'weak' | 'against';
  readonly told: string;
}

/** Evidence, what counts against, and what nearly counted, with its places in what was typed. */
export function marksOf(reading: Reading, talk: TypedTalk): Mark[] {
  const marks: Mark[] = [];
  const base = (segment: number | undefined) => (talk.turns.length === 0 ? 0 : (talk.turns[segment ?? 0]?.from ?? 0));
  const add = (own: Partial<Evidence>, kind: Mark['kind'], score: number | undefined, told: string) => {
    const { metamarker: marker = '', segment, start, end, joined = [] } = own;
    if (start === undefined || end === undefined) return;
    for (const place of [{ segment, start, end }, ...joined]) {
      const from = base(place.segment) + place.start;
      marks.push({ from, to: base(place.segment) + place.end, marker, score, kind, told });
    }
  };
  for (const own of reading.evidence) add(own, 'evidence', own.score, 'evidence');
  for (const own of reading.against ?? []) add(own, 'against', own.weight, 'counts against');
  for (const own of reading.weak_signals ?? []) add(own, 'weak', own.score, own.hint);
  return marks;
}

const setMarks = StateEffect.define<{ readonly marks: readonly Mark[]; readonly tones: Tones; readonly talk: TypedTalk }>();

/** Where the role of a turn begins, and its content. */
type Role = Pick<PlacedTurn, 'at' | 'from'>;

interface Shown {
  readonly marks: readonly Mark[];
  readonly roles: readonly Role[];
  readonly tones: Tones | undefined;
  readonly decorations: DecorationSet;
}

/** Whether the editor shows this already: most keys only move what is there. */
function isShown(shown: Shown, marks: readonly Mark[], tones: Tones, talk: TypedTalk): boolean {
  return (
    shown.tones === tones &&
    shown.marks.length === marks.length &&
    shown.roles.length === talk.turns.length &&
    talk.turns.every(({ at, from }, nth) => shown.roles[nth]?.at === at && shown.roles[nth]?.from === from) &&
    marks.every((mark, nth) => {
      const own = shown.marks[nth];
      return (
        own !== undefined &&
        own.from === mark.from &&
        own.to === mark.to &&
        own.marker === mark.marker &&
        own.kind === mark.kind &&
        own.score === mark.score &&
        own.told === mark.told
      );
    })
  );
}

const shownMarks = StateField.define<Shown>({
  create: () => ({ marks: [], roles: [], tones: undefined, decorations: Decoration.none }),
  update(shown, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) {
        const { marks, tones, talk } = effect.value;
        const roles = talk.turns.map(({ at, from }) => ({ at, from }));
        return { marks, roles, tones, decorations: decorations(marks, tones, talk, transaction.newDoc.length) };
      }
    }
    if (!transaction.docChanged) return shown;
    const move = (at: number) => transaction.changes.mapPos(at);
    return {
      tones: shown.tones,
      marks: shown.marks.map((mark) => ({ ...mark, from: move(mark.from), to: move(mark.to) })),
      roles: shown.roles.map(({ at, from }) => ({ at: move(at), from: move(from) })),
      decorations: shown.decorations.map(transaction.changes),
    };
  },
  provide: (field) => EditorView.decorations.from(field, (shown) => shown.decorations),
});

function decorations(marks: readonly Mark[], tones: Tones, talk: TypedTalk, length: number): DecorationSet {
  const all: { from: number; to: number; decoration: Decoration }[] = talk.turns.map(({ at, from }) => ({
    from: at,
    to: Math.min(from, length),
    decoration: Decoration.mark({ class: 'role' }),
  }));
  for (const mark of marks) {
    if (mark.from >= mark.to || mark.to > length) continue;
    const tone = tones.of(mark.marker);
    const name = mark.kind === 'evidence' ? `found ${tone.effect}` : mark.kind === 'weak' ? 'nearly' : 'minus';
    all.push({ from: mark.from, to: mark.to, decoration: Decoration.mark({ class: `${name} ${hueClass(tone)}` }) });
  }
  // Narrow ones inside wide ones, so that they give the colour.
  all.sort((a, b) => a.from - b.from || b.to - a.to);
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to, decoration } of all) if (from < to) builder.add(from, to, decoration);
  return builder.finish();
}

export interface TalkEditor {
  readonly view: EditorView;
  open(text: string): void;
  mark(marks: readonly Mark[], tones: Tones, talk: TypedTalk): void;
  goTo(from: number, to: number): void;
}

export function talkEditor(parent: HTMLElement, state: State, typedAt: () => void): TalkEditor {
  const tooltip = hoverTooltip((view, pos) => {
    const here = view.state.field(shownMarks).marks.filter(({ from, to }) => from <= pos && pos <= to);
    const [first] = here;
    if (first === undefined) return null;
    const line = ({ marker, score, kind, told }: Mark) =>
      h(
        'p',
        {},
        h('b', {}, marker),
        kind === 'evidence' ? ` ${number(score ?? 0)}, ${said(state.tones.of(marker).effect)}` : ` ${kind === 'weak' ? 'nearly: ' : ''}${told}`,
      );
    return { pos: first.from, end: first.to, above: true, create: () => ({ dom: h('div', { class: 'tip' }, ...here.slice(0, 6).map(line)) }) };
  });
  const view = new EditorView({ parent, state: fresh('') });

  function fresh(text: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        history(),
        shownMarks,
        tooltip,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'Talk', tabindex: '0', spellcheck: 'false', dir: 'auto' }),
        keymap.of([...historyKeymap, ...defaultKeymap]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          typedAt();
          state.setText(update.state.doc.toString());
        }),
      ],
    });
  }

  return {
    view,
    open(text) {
      view.setState(fresh(text));
      state.isChosen = false;
      state.setText(text);
    },
    mark(marks, tones, talk) {
      if (isShown(view.state.field(shownMarks), marks, tones, talk)) return;
      view.dispatch({ effects: setMarks.of({ marks, tones, talk }) });
    },
    goTo(from, to) {
      const length = view.state.doc.length;
      view.dispatch({
        selection: { anchor: Math.min(from, length), head: Math.min(to, length) },
        effects: EditorView.scrollIntoView(Math.min(from, length), { y: 'center' }),
      });
      view.focus();
    },
  };
}
