import { effect } from '@preact/signals';
import { TextSelection, type EditorState } from 'prosemirror-state';
import { Decoration, DecorationSet, EditorView } from 'prosemirror-view';
import 'prosemirror-view/style/prosemirror.css';
import { readText } from '../library/story-files';
import type { Finder } from './finder';
import type { Manuscript } from './manuscript';
import { plainText } from './plain-text';
import { offsetOf, positionOf, toSlice, type Place } from './story-document';

interface Options {
  readonly label: string;
  readonly placeholder: string;
  /** A word of the machine's was pressed: its place in the text, and where the word is on the screen. */
  readonly onPress: (offset: number, word: DOMRect) => void;
  /** Files were dropped that are no text for this story, such as saved libraries and shared passages. */
  readonly onOthers: (files: readonly File[]) => void;
}

/** Shows a manuscript and lets the writer at it. */
export class StoryEditor {
  readonly #view: EditorView;
  readonly #manuscript: Manuscript;
  readonly #finder: Finder;
  readonly #onOthers: (files: readonly File[]) => void;
  readonly #stop: () => void;
  readonly #resizes = new ResizeObserver(() => {
    this.#keepEndInSight();
  });
  #paneHeight = 0;
  /** Whether the page goes along with the pen: until the writer scrolls back from it. */
  #follows = true;
  /** How far down the page was when it last went along. */
  #scrolledTo = 0;
  /** What was brought into view last of what is found. */
  #found: Place | undefined;

  constructor(place: HTMLElement, manuscript: Manuscript, finder: Finder, options: Options) {
    const { label, placeholder, onPress, onOthers } = options;
    this.#manuscript = manuscript;
    this.#finder = finder;
    this.#onOthers = onOthers;
    const { readOnly } = manuscript;
    this.#view = new EditorView(place, {
      state: manuscript.state.value,
      attributes: (state) => ({
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': label,
        'aria-placeholder': placeholder,
        'aria-readonly': String(readOnly.value),
        spellcheck: 'true',
        class: isEmpty(state) ? 'story story-empty' : 'story',
        tabindex: '0',
        'data-placeholder': placeholder,
      }),
      editable: () => !readOnly.value,
      decorations: (state) => this.#decorations(state),
      // The story is plain text: what is pasted or dropped loses its looks and keeps its paragraphs.
      handlePaste: (view, event) => {
        const text = plainText(event.clipboardData);
        if (text !== '') view.dispatch(view.state.tr.replaceSelection(toSlice(text)).scrollIntoView());
        return true;
      },
      // Nobody needs the editor's own reading of it, which would try out its styles.
      transformPastedHTML: () => '',
      clipboardTextParser: (text) => toSlice(text),
      handleDrop: (_view, event) => this.#dropFiles(event) || this.#dropText(event),
      handleClick: (view, position, event) => {
        const pressed = event.target instanceof Element && event.target.closest('.passage') !== null;
        if (pressed && !event.shiftKey) onPress(offsetOf(position), wordAt(view, position));
        return false;
      },
      dispatchTransaction: (transaction) => {
        manuscript.apply(transaction);
      },
    });
    manuscript.beforeWriting = () => {
      this.#readCaret();
    };
    // At once, and so before the rest of the page: when it says that a run is over, the last word stands there.
    this.#stop = effect(() => {
      this.#update(manuscript.state.value, readOnly.value);
      this.#showFound(finder.found.value[finder.current.value ?? -1]);
    });
    const pane = this.#pane();
    if (pane) this.#resizes.observe(pane);
  }

  /** As if typed at the end: the writer can undo it. */
  append(text: string): void {
    const { tr, doc } = this.#view.state;
    const end = doc.content.size - 1;
    this.#view.dispatch(tr.replace(end, end, toSlice(text)));
    this.#view.focus();
  }

  focus(): void {
    this.#view.focus();
  }

  destroy(): void {
    this.#manuscript.beforeWriting = () => undefined;
    this.#stop();
    this.#resizes.disconnect();
    this.#view.destroy();
  }

  /** The browser tells of a moved caret a moment later: in that moment the machine's next word would put it back. */
  #readCaret(): void {
    const view = this.#view;
    const { anchorNode, anchorOffset, focusNode, focusOffset } = document.getSelection() ?? {};
    if (!view.hasFocus() || view.composing || !anchorNode || !focusNode) return;
    if (!view.dom.contains(anchorNode) || !view.dom.contains(focusNode)) return;
    const { doc, selection, tr } = view.state;
    const [anchor, head] = [
      view.posAtDOM(anchorNode, anchorOffset ?? 0),
      view.posAtDOM(focusNode, focusOffset ?? 0),
    ].map((position) => doc.resolve(position));
    if (!anchor || !head) return;
    const moved = TextSelection.between(anchor, head);
    if (!moved.eq(selection)) view.dispatch(tr.setSelection(moved));
  }

  #update(state: EditorState, readOnly: boolean): void {
    const wrote = state.doc !== this.#view.state.doc;
    const before = this.#view.dom.querySelector('.pen');
    if (before === null || this.#isInSight(before)) this.#follows = true;
    // Out of sight alone does not say so: the bar takes room from the story when a run begins.
    else if ((this.#pane()?.scrollTop ?? 0) < this.#scrolledTo) this.#follows = false;
    this.#view.setProps({ editable: () => !readOnly, state });
    const begins = before === null;
    if (this.#manuscript.pen.peek() === null || !this.#follows || !(begins || wrote)) return;
    this.#view.dom.querySelector('.pen')?.scrollIntoView({ block: 'nearest' });
    this.#scrolledTo = this.#pane()?.scrollTop ?? 0;
  }

  /** Also while the keyboard is in the field where it is looked for. */
  #showFound(found: Place | undefined): void {
    const before = this.#found;
    this.#found = found;
    if (!found || (found.from === before?.from && found.to === before.to)) return;
    this.#view.dom.querySelector('.found-current')?.scrollIntoView({ block: 'center' });
  }

  #decorations(state: EditorState): DecorationSet {
    const decorations: Decoration[] = [];
    const pen = this.#manuscript.pen.peek();
    const take = this.#manuscript.take.peek();
    const edited = new Map<number, number>();
    const isEdited = (from: number, to: number): void => {
      state.doc.nodesBetween(from, to, (paragraph, start) => {
        edited.set(start, start + paragraph.nodeSize);
        return false;
      });
    };
    const { $head } = state.selection;
    // With the paragraph before it, which it may just have left.
    if ($head.depth > 0) isEdited(Math.max(0, $head.before(1) - 1), $head.after(1));
    if (pen) {
      isEdited(positionOf(pen.from), positionOf(pen.to) + 1);
      decorations.push(Decoration.widget(positionOf(pen.to), penMark, { key: 'pen', side: 1 }));
    }
    for (const place of this.#manuscript.places.peek()) {
      if (place.take !== take) continue;
      isEdited(positionOf(place.from), positionOf(place.to));
      decorations.push(Decoration.inline(positionOf(place.from), positionOf(place.to), { class: 'at-caret' }));
    }
    for (const [start, end] of edited) decorations.push(Decoration.node(start, end, { class: 'edited' }));
    const current = this.#finder.current.peek();
    this.#finder.found.peek().forEach(({ from, to }, i) => {
      const look = i === current ? 'found found-current' : 'found';
      decorations.push(Decoration.inline(positionOf(from), positionOf(to), { class: look }));
    });
    return DecorationSet.create(state.doc, decorations);
  }

  /** Text files go in where they are dropped, and of others only what can be imported goes anywhere. */
  #dropFiles(event: DragEvent): boolean {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return false;
    const texts = files.filter(({ name, type }) =>
      type === '' ? /\.(txt|md|markdown)$/i.test(name) : type.startsWith('text/'),
    );
    const saved = files.filter(({ name }) => /\.json$/i.test(name));
    const at = this.#placeOf(event);
    void Promise.all(texts.map(readText)).then((contents) => {
      const text = contents
        .filter((content) => content !== null)
        .join('\n\n')
        .replace(/\n+$/, '');
      if (text !== '') this.#insert(text, at);
      // After that: an import opens another story. Where a file is no text, the import says so.
      const others = [...texts.filter((_, i) => contents[i] === null), ...saved];
      if (others.length > 0) this.#onOthers(others);
    });
    return true;
  }

  /** From elsewhere: what is dragged within the story is moved as it is. */
  #dropText(event: DragEvent): boolean {
    if (this.#view.dragging) return false;
    const text = plainText(event.dataTransfer);
    if (text !== '') this.#insert(text, this.#placeOf(event));
    return true;
  }

  #placeOf(event: DragEvent): number {
    const { selection } = this.#view.state;
    return this.#view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos ?? selection.to;
  }

  #insert(text: string, at: number): void {
    const { tr, doc } = this.#view.state;
    const place = Math.min(at, doc.content.size - 1);
    tr.replace(place, place, toSlice(text));
    this.#view.dispatch(tr.setSelection(TextSelection.near(tr.doc.resolve(tr.mapping.map(place)), -1)));
    this.#view.focus();
  }

  #pane(): Element | null {
    return this.#view.dom.closest('.story-pane');
  }

  /** @param tall the pane's height, as it is or as it was */
  #isInSight(element: Element, tall = this.#pane()?.clientHeight ?? 0): boolean {
    const pane = this.#pane();
    return !!pane && element.getBoundingClientRect().bottom <= pane.getBoundingClientRect().top + tall + 48;
  }

  /** When the pane gets lower, as for a longer line in the bar or for a phone's keyboard. */
  #keepEndInSight(): void {
    const before = this.#paneHeight;
    this.#paneHeight = this.#pane()?.clientHeight ?? 0;
    const end = this.#view.dom.lastElementChild;
    if (end && this.#paneHeight < before && this.#isInSight(end, before)) end.scrollIntoView({ block: 'end' });
  }
}

function isEmpty(state: EditorState): boolean {
  return state.doc.childCount === 1 && state.doc.child(0).childCount === 0;
}

function penMark(): HTMLElement {
  const mark = document.createElement('span');
  mark.className = 'pen';
  mark.ariaHidden = 'true';
  return mark;
}

/** Where the word at a position is on the screen. */
function wordAt(view: EditorView, position: number): DOMRect {
  const place = view.state.doc.resolve(position);
  const text = place.parent.textContent;
  const before = /\S*$/.exec(text.slice(0, place.parentOffset))?.[0].length ?? 0;
  const after = /^\S*/.exec(text.slice(place.parentOffset))?.[0].length ?? 0;
  const start = view.coordsAtPos(position - before, 1);
  const end = view.coordsAtPos(position + after, -1);
  const right = end.top < start.bottom ? end.right : start.right;
  return new DOMRect(start.left, start.top, Math.max(1, right - start.left), start.bottom - start.top);
}
