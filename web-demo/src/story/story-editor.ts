import { baseKeymap } from 'prosemirror-commands';
import { closeHistory, history, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import { EditorState, Plugin, PluginKey, type Command } from 'prosemirror-state';
import { Decoration, DecorationSet, EditorView } from 'prosemirror-view';
import 'prosemirror-view/style/prosemirror.css';
import { positionOf, toDocument, toSlice, toText } from './story-document';

/** What the page wants the editor to show. */
export interface Shown {
  readonly text: string;
  /** Where the machine's passage begins; it reaches to the end. */
  readonly passageStart: number | null;
  /** When the run under way began: its words are one step of Undo. Null while nothing is being written. */
  readonly runStartedAt: number | null;
  readonly readOnly: boolean;
}

const shownKey = new PluginKey<Shown>('shown');

/** The editable story. Text goes in through `show` and comes out through `onEdit`. */
export class StoryEditor {
  readonly #view: EditorView;
  readonly #resizes = new ResizeObserver(() => {
    this.#keepEndInSight();
  });
  #paneHeight = 0;
  #text = '';

  constructor(place: HTMLElement, options: { label: string; placeholder: string; onEdit: (text: string) => void }) {
    const { label, placeholder, onEdit } = options;
    this.#view = new EditorView(place, {
      state: this.#freshState(''),
      attributes: (state) => {
        const { readOnly, runStartedAt } = shown(state);
        return {
          role: 'textbox',
          'aria-multiline': 'true',
          'aria-label': label,
          'aria-placeholder': placeholder,
          'aria-readonly': String(readOnly || runStartedAt !== null),
          spellcheck: 'true',
          class: isEmpty(state) ? 'story story-empty' : 'story',
          tabindex: '0',
          'data-placeholder': placeholder,
        };
      },
      editable: (state) => !shown(state).readOnly,
      // The story is plain text: what is pasted or dropped loses its looks and keeps its paragraphs.
      handlePaste: (view, event) => {
        const text = event.clipboardData?.getData('text/plain') ?? '';
        if (text !== '') view.dispatch(view.state.tr.replaceSelection(toSlice(text)).scrollIntoView());
        return true;
      },
      clipboardTextParser: toSlice,
      dispatchTransaction: (transaction) => {
        const { state, transactions } = this.#view.state.applyTransaction(transaction);
        this.#view.updateState(state);
        if (!transactions.some(({ docChanged }) => docChanged)) return;
        this.#text = toText(state.doc);
        if (!transaction.getMeta(shownKey)) onEdit(this.#text);
      },
    });
    const pane = this.#pane();
    if (pane) this.#resizes.observe(pane);
  }

  show(next: Shown): void {
    const { state } = this.#view;
    const before = shown(state);
    if (next.runStartedAt === null && next.text !== this.#text && before.runStartedAt === null) {
      // Another story than the one that was edited here: Undo must not mix the two.
      this.#text = next.text;
      this.#view.updateState(this.#freshState(next.text, next));
      return;
    }
    const transaction = state.tr.setMeta(shownKey, next);
    if (next.text !== this.#text) {
      const from = divergence(this.#text, next.text);
      transaction.replace(positionOf(from), state.doc.content.size - 1, toSlice(next.text.slice(from)));
    }
    const runStartedAt = next.runStartedAt ?? before.runStartedAt;
    if (runStartedAt !== null) {
      transaction.setTime(runStartedAt);
      if (runStartedAt !== before.runStartedAt) closeHistory(transaction);
    }
    const follow = transaction.docChanged && this.#endIsVisible();
    this.#view.dispatch(transaction);
    if (follow) this.#scrollToEnd();
  }

  /** As if typed at the end: the writer can undo it. */
  append(text: string): void {
    const { tr, doc } = this.#view.state;
    const end = doc.content.size - 1;
    this.#view.dispatch(closeHistory(tr.replace(end, end, toSlice(text))));
    this.#view.focus();
  }

  destroy(): void {
    this.#resizes.disconnect();
    this.#view.destroy();
  }

  #freshState(text: string, first?: Shown): EditorState {
    return EditorState.create({
      doc: toDocument(text),
      plugins: [history(), keymap(editingKeys), keymap(baseKeymap), showing(first)],
    });
  }

  #pane(): Element | null {
    return this.#view.dom.closest('.story-pane');
  }

  /** @param tall the pane's height, as it is or as it was */
  #endIsVisible(tall = this.#pane()?.clientHeight ?? 0): boolean {
    const pane = this.#pane();
    const end = this.#view.dom.lastElementChild;
    return !!pane && !!end && end.getBoundingClientRect().bottom <= pane.getBoundingClientRect().top + tall + 48;
  }

  #scrollToEnd(): void {
    this.#view.dom.lastElementChild?.scrollIntoView({ block: 'end' });
  }

  /** When the pane gets lower, as for a longer line in the bar or for a phone's keyboard. */
  #keepEndInSight(): void {
    const before = this.#paneHeight;
    this.#paneHeight = this.#pane()?.clientHeight ?? 0;
    if (this.#paneHeight < before && this.#endIsVisible(before)) this.#scrollToEnd();
  }
}

const insertLineFeed: Command = (state, dispatch) => {
  dispatch?.(state.tr.insertText('\n').scrollIntoView());
  return true;
};

const editingKeys: Record<string, Command> = {
  'Mod-z': undo,
  'Mod-y': redo,
  'Shift-Mod-z': redo,
  'Shift-Enter': insertLineFeed,
  // Belongs to the page, and must not split the paragraph on the way.
  'Mod-Enter': () => true,
};

const nothingShown: Shown = { text: '', passageStart: null, runStartedAt: null, readOnly: true };

function shown(state: EditorState): Shown {
  return shownKey.getState(state) ?? nothingShown;
}

function isEmpty(state: EditorState): boolean {
  return state.doc.childCount === 1 && state.doc.child(0).childCount === 0;
}

/** Marks the passage, and keeps hands off the text while it is being written. */
function showing(first: Shown = nothingShown): Plugin<Shown> {
  return new Plugin<Shown>({
    key: shownKey,
    state: {
      init: () => first,
      apply: (transaction, before): Shown => (transaction.getMeta(shownKey) as Shown | undefined) ?? before,
    },
    filterTransaction: (transaction, state) =>
      !transaction.docChanged || !!transaction.getMeta(shownKey) || shown(state).runStartedAt === null,
    props: {
      decorations: (state) => {
        const { passageStart, runStartedAt } = shown(state);
        const end = state.doc.content.size;
        const decorations: Decoration[] = [];
        if (passageStart !== null && positionOf(passageStart) < end) {
          decorations.push(Decoration.inline(positionOf(passageStart), end, { nodeName: 'mark', class: 'passage' }));
        }
        if (runStartedAt !== null) decorations.push(Decoration.widget(end - 1, pen, { key: 'pen', side: 1 }));
        return DecorationSet.create(state.doc, decorations);
      },
    },
  });
}

function pen(): HTMLElement {
  const mark = document.createElement('span');
  mark.className = 'pen';
  mark.ariaHidden = 'true';
  return mark;
}

/** Where two texts begin to differ, before any line feeds: these may join into a paragraph break with what follows. */
function divergence(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let offset = 0;
  while (offset < most && before[offset] === after[offset]) offset += 1;
  while (offset > 0 && after[offset - 1] === '\n') offset -= 1;
  return offset;
}
