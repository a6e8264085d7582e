// The editor of the protocol.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Action, type Diagnostic } from '@codemirror/lint';
import { EditorState, Transaction } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Finding } from 'sonometer';
import type { About, Completions, Edit, Section } from '../shared/asks.js';
import { completion } from './complete.js';
import { aboutCode, hover } from './explain.js';
import { h } from './dom.js';
import { phraseColours } from './phrases.js';
import type { State } from './state.js';

/** Colours by custom properties, so that both themes share one style. */
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--key)' },
  { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--dim)' },
]);

/** Nonce of the page, which the styles of the editor must have under a strict policy. */
export const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';

export interface ProtocolEditor {
  readonly view: EditorView;
  /** Another file: nothing to undo. */
  open(source: string): void;
  /** A change of the text that can be undone. */
  change(source: string): void;
  show(findings: readonly Finding[]): void;
  goTo(line: number): void;
  /** Applies the first fix at the cursor, or else of the first finding. */
  mend(): Promise<boolean>;
}

/** What the engine knows about the protocol as it is now. */
export interface Knows {
  complete(at: number): Promise<Completions | undefined>;
  explain(at: number): Promise<About | undefined>;
  section(code: string): Promise<Section | undefined>;
  fixes(finding: Finding): Promise<readonly Edit[]>;
}

export function protocolEditor(parent: HTMLElement, state: State, knows: Knows): ProtocolEditor {
  let shown: readonly Finding[] = [];
  const apply = async (finding: Finding): Promise<boolean> => {
    const [edit] = await knows.fixes(finding);
    if (edit === undefined) return false;
    view.dispatch({ changes: edit, userEvent: 'input.fix', scrollIntoView: true });
    return true;
  };
  const mend = async (): Promise<boolean> => {
    const { head } = view.state.selection.main;
    const line = view.state.doc.lineAt(head);
    const here = shown.filter(({ start, end }) => start <= line.to && end >= line.from);
    for (const finding of [...here, ...shown.filter((one) => !here.includes(one))]) if (await apply(finding)) return true;
    return false;
  };
  const view = new EditorView({
    parent,
    state: fresh(''),
  });

  function fresh(source: string): EditorState {
    return EditorState.create({
      doc: source,
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        history(),
        yaml(),
        syntaxHighlighting(colours),
        phraseColours,
        hover((at) => knows.explain(at)),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        indentUnit.of('  '),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'Protocol', tabindex: '0', spellcheck: 'false', autocorrect: 'off', autocapitalize: 'off' }),
        autocompletion({ override: [completion((at) => knows.complete(at))], icons: false, interactionDelay: 0 }),
        keymap.of([
          { key: 'Alt-Enter', run: () => (void mend(), true) },
          { key: 'Tab', run: acceptCompletion },
          // Tab itself leaves the editor, as readers without a mouse expect.
          { key: 'Mod-]', run: indentMore },
          { key: 'Mod-[', run: indentLess },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...foldKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((one) => one.annotation(Transaction.remote)))
            state.setSource(update.state.doc.toString());
        }),
      ],
    });
  }

  function diagnostic(finding: Finding): Diagnostic {
    const { code, severity, message, fix, start, end } = finding;
    const length = view.state.doc.length;
    const from = Math.min(start, length);
    const actions: Action[] = [{ name: 'Fix (Alt+Enter)', apply: () => void apply(finding) }];
    return {
      from,
      to: Math.min(Math.max(end, start + 1), length),
      severity,
      message: `${message}; ${fix}`,
      actions,
      renderMessage: () => h('div', {}, h('p', {}, h('b', {}, code), ` ${message}`), h('p', { class: 'dim' }, fix), aboutCode(code, (one) => knows.section(one))),
    };
  }

  return {
    view,
    mend,
    open(source) {
      view.setState(fresh(source));
      state.setSource(source);
    },
    change(source) {
      const old = view.state.doc.toString();
      if (old === source) return;
      let from = 0;
      while (from < old.length && from < source.length && old[from] === source[from]) from += 1;
      let tail = 0;
      while (tail < old.length - from && tail < source.length - from && old[old.length - 1 - tail] === source[source.length - 1 - tail]) tail += 1;
      view.dispatch({ changes: { from, to: old.length - tail, insert: source.slice(from, source.length - tail) }, userEvent: 'input' });
    },
    show(findings) {
      shown = findings;
      view.dispatch(setDiagnostics(view.state, findings.map(diagnostic)));
    },
    goTo(number) {
      const line = view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
      view.dispatch({ selection: { anchor: line.from, head: line.to }, effects: EditorView.scrollIntoView(line.from, { y: 'center' }) });
      view.focus();
    },
  };
}
