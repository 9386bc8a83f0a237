import { closeHistory, isHistoryTransaction } from 'prosemirror-history';
import { Plugin, PluginKey, Selection, type EditorState, type Transaction } from 'prosemirror-state';
import { Mapping, type Step } from 'prosemirror-transform';
import { offsetOf, positionOf, type Place } from './story-document';

/** Where the machine writes: what it has written there, or what its first word will replace. */
export interface Pen extends Place {
  /** Where it was set down. */
  readonly begun: Place;
  /** Everything that has changed the document since. */
  readonly steps: readonly PenStep[];
}

interface PenStep {
  readonly step: Step;
  readonly inverse: Step;
  /** When the writer took it; null for the machine's, and for what the manuscript itself made of another. */
  readonly takenAt: number | null;
}

/** A transaction that carries a place is the machine's and leaves the pen there; null lifts the pen. */
export const penKey = new PluginKey<Pen | null>('pen');

/** Follows the pen's place through the writer's edits, and keeps these off what is being written. */
export const penPlugin = new Plugin<Pen | null>({
  key: penKey,
  state: {
    init: () => null,
    apply: (transaction, before): Pen | null => {
      const place = transaction.getMeta(penKey) as Place | null | undefined;
      if (place === null) return null;
      if (!before) return place ? { ...place, begun: place, steps: [] } : null;
      const ours = place !== undefined || transaction.getMeta('appendedTransaction') !== undefined;
      const steps = transaction.steps.map((step, i): PenStep => {
        const document = transaction.docs[i];
        if (!document) throw new Error('a step without the document that it changes');
        return { step, inverse: step.invert(document), takenAt: ours ? null : transaction.time };
      });
      return { ...before, ...(place ?? moved(before, transaction.mapping)), steps: before.steps.concat(steps) };
    },
  },
  filterTransaction: (transaction, state) => {
    const pen = penKey.getState(state);
    if (!pen || !transaction.docChanged || transaction.getMeta(penKey) !== undefined) return true;
    // What it would take back may be in the midst of the machine's words.
    return !isHistoryTransaction(transaction) && !touches(transaction, positionOf(pen.from), positionOf(pen.to));
  },
  // The history keeps each step as it was, so that those of a run can be taken out of it.
  historyPreserveItems: true,
});

function moved({ from, to }: Place, mapping: Mapping): Place {
  const follow = (offset: number): number => offsetOf(mapping.map(positionOf(offset), 1));
  return { from: follow(from), to: follow(to) };
}

function touches(transaction: Transaction, from: number, to: number): boolean {
  let touched = false;
  transaction.mapping.maps.forEach((map, index) => {
    const earlier = transaction.mapping.slice(0, index);
    const [first, last] = [earlier.map(from, -1), earlier.map(to, 1)];
    map.forEach((start, end) => {
      if (end >= first && start <= last) touched = true;
    });
  });
  return touched;
}

/**
 * Lifts the pen. The document stays as it is, but its history is another: as if the writer's own steps had come first, and
 * then all of the machine's words at once.
 */
export function asOneStep(state: EditorState, { from, to, begun, steps }: Pen): EditorState {
  const written = state.doc.slice(positionOf(from), positionOf(to));
  const back = state.tr.setMeta(penKey, null);
  for (const { inverse } of steps.toReversed()) back.step(inverse);
  let now = state.apply(closeHistory(back.setMeta('addToHistory', false).setMeta('rebased', steps.length)));

  const mapping = new Mapping([...back.mapping.maps]);
  steps.forEach(({ step, takenAt }, i) => {
    if (takenAt === null) return;
    const undone = steps.length - 1 - i;
    const again = step.map(mapping.slice(undone + 1));
    if (!again) return;
    now = now.apply(now.tr.step(again).setTime(takenAt));
    mapping.appendMap(again.getMap(), undone);
  });

  const place = moved(begun, mapping.slice(steps.length));
  const { tr } = now;
  const [start, end] = [positionOf(place.from), positionOf(place.to)];
  if (!written.eq(now.doc.slice(start, end))) tr.replace(start, end, written);
  tr.setSelection(Selection.fromJSON(tr.doc, state.selection.toJSON()));
  now = now.apply(closeHistory(tr.setMeta(penKey, null)));
  return now.apply(closeHistory(now.tr));
}
