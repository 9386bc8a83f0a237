import { batch, computed, signal } from '@preact/signals';
import { baseKeymap } from 'prosemirror-commands';
import { closeHistory, history, isHistoryTransaction, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import type { Node } from 'prosemirror-model';
import { EditorState, Plugin, TextSelection, type Command, type Transaction } from 'prosemirror-state';
import { countWords } from '../library/word-count';
import { asOneStep, penKey, penPlugin } from './pen';
import {
  markedPlaces,
  offsetOf,
  positionOf,
  schema,
  takeAt,
  takeBefore,
  toDocument,
  toSlice,
  toText,
  type MarkedPlace,
  type Place,
} from './story-document';

/**
 * The story on the page: its text, which words are whose, the caret, and Undo. Knows nothing of the DOM; an editor shows
 * it. While the machine writes, everything but its own words can be edited.
 */
export class Manuscript {
  readonly state = signal(freshState('', [], 0));
  readonly readOnly = signal(true);
  /** Whether something was typed where the machine is writing, and so not taken. */
  readonly refused = signal(false);
  /** Told of each change by the writer. */
  onEdit: () => void = () => undefined;
  /** Asked before the machine writes: an editor may know of the caret what it has not told yet. */
  beforeWriting: () => void = () => undefined;

  readonly #document = computed(() => this.state.value.doc);
  readonly text = computed(() => toText(this.#document.value));
  readonly words = computed(() => wordsOf(this.#document.value));
  readonly places = computed(() => markedPlaces(this.#document.value));
  readonly pen = computed(() => penKey.getState(this.state.value) ?? null);
  /** Where words go that are written now. */
  readonly caret = computed(() => offsetOf(this.state.value.selection.to));
  readonly selected = computed((): Place => {
    const { from, to } = this.state.value.selection;
    return { from: offsetOf(from), to: offsetOf(to) };
  });
  /** The take at the caret. */
  readonly take = computed(() => takeAt(this.#document.value, this.state.value.selection.to));
  /** The take before the empty paragraphs that the caret is in the last of: these may be its own, or the writer's. */
  readonly takeBefore = computed(() => takeBefore(this.#document.value, this.state.value.selection.to));

  /** Another story: Undo must not mix the two. */
  load(text: string, places: readonly MarkedPlace[], caret: number): void {
    this.state.value = freshState(text, places, caret);
  }

  /** What the writer does. */
  apply(transaction: Transaction): void {
    const { state, transactions } = this.state.value.applyTransaction(transaction);
    batch(() => {
      this.state.value = state;
      if (transactions.length === 0) this.refused.value = true;
      if (transactions.some(({ docChanged }) => docChanged)) this.onEdit();
    });
  }

  select({ from, to }: Place): void {
    const { tr } = this.state.value;
    const selection = TextSelection.create(tr.doc, positionOf(from), positionOf(to));
    this.#put(tr.setSelection(selection));
  }

  /** The pen is set down; what stands at its place goes with the first word. */
  penDown({ from, to }: Place): void {
    const place: Place = { from, to };
    this.refused.value = false;
    this.#put(this.state.value.tr.setMeta(penKey, place));
  }

  /** All that the machine has written at the pen so far. */
  write(text: string, take: string): void {
    this.beforeWriting();
    const pen = this.pen.value;
    if (!pen) return;
    const story = this.text.value;
    const before = story.slice(pen.from, pen.to);
    const space = spaceBetween(text, story.slice(pen.to, pen.to + 1));
    const same = this.places.value.some((place) => place.take === take && place.from >= pen.from && place.to <= pen.to);
    const shared = same ? divergence(before, text) : 0;
    const { tr, selection } = this.state.value;
    const [start, end] = [positionOf(pen.from + shared), positionOf(pen.to)];
    tr.replace(start, end, toSlice(text.slice(shared), take, space));
    const written = pen.from + text.length;
    // A caret at the pen goes with it.
    if (selection.empty && selection.head >= start && selection.head <= end) {
      tr.setSelection(TextSelection.create(tr.doc, positionOf(written)));
    }
    const place: Place = { from: pen.from, to: written + space.length };
    this.#put(tr.setMeta(penKey, place));
  }

  /** All that was written since it was set down is one step of Undo now, whatever the writer did meanwhile. */
  penUp(): void {
    const pen = this.pen.value;
    this.refused.value = false;
    if (pen) this.state.value = asOneStep(this.state.value, pen);
  }

  /** Other words in the place of some, as one step of Undo. */
  replace({ from, to }: Place, text: string, take?: string): void {
    const { tr } = this.state.value;
    tr.replace(positionOf(from), positionOf(to), toSlice(text, take));
    tr.setSelection(TextSelection.near(tr.doc.resolve(positionOf(from + text.length)), -1));
    this.#put(closeHistory(tr).setMeta(machineKey, true));
  }

  /** The machine's words become the writer's own. */
  release({ from, to }: Place): void {
    const { tr } = this.state.value;
    this.#put(closeHistory(tr.removeMark(positionOf(from), positionOf(to), schema.marks.passage)));
  }

  #put(transaction: Transaction): void {
    this.state.value = this.state.value.applyTransaction(transaction).state;
  }
}

const machineKey = 'machine';

/** What the writer puts between the machine's words is the writer's own. */
const ownWords = new Plugin({
  appendTransaction: (transactions, _before, state) => {
    const { tr } = state;
    for (const transaction of transactions) {
      const ours = transaction.getMeta(penKey) !== undefined || transaction.getMeta(machineKey) === true;
      if (ours || isHistoryTransaction(transaction)) continue;
      transaction.mapping.maps.forEach((map, index) => {
        const later = transaction.mapping.slice(index + 1);
        map.forEach((_start, _end, start, end) => {
          tr.removeMark(later.map(start, 1), later.map(end, -1), schema.marks.passage);
        });
      });
    }
    return tr.docChanged ? tr : null;
  },
});

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

function freshState(text: string, places: readonly MarkedPlace[], caret: number): EditorState {
  const doc = toDocument(text, places);
  return EditorState.create({
    doc,
    selection: TextSelection.near(doc.resolve(positionOf(Math.min(caret, text.length))), -1),
    // Each key that is pressed while the machine writes is a step until the pen is lifted.
    plugins: [history({ depth: 1000 }), keymap(editingKeys), keymap(baseKeymap), penPlugin, ownWords],
  });
}

const counted = new WeakMap<Node, number>();

/** Only of paragraphs that are new since the last time. */
function wordsOf(document: Node): number {
  let sum = 0;
  document.forEach((paragraph) => {
    let count = counted.get(paragraph);
    if (count === undefined) counted.set(paragraph, (count = countWords(paragraph.textContent)));
    sum += count;
  });
  return sum;
}

/** In the midst of a sentence the machine's last word must not grow together with the writer's next one. */
function spaceBetween(text: string, next: string): string {
  return /\S$/.test(text) && /[\p{L}\p{N}\u201c\u2018(]/u.test(next) ? ' ' : '';
}

/** Where two texts begin to differ, before any line feeds: these may join into a paragraph break with what follows. */
function divergence(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let offset = 0;
  while (offset < most && before[offset] === after[offset]) offset += 1;
  while (offset > 0 && after[offset - 1] === '\n') offset -= 1;
  return offset;
}
