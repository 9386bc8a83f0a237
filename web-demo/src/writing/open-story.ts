import { computed, signal } from '@preact/signals';
import { firstStoryId, type SavedRun } from '../keeping/saved-desk';
import { labelOf } from '../library/library';
import { Manuscript } from '../story/manuscript';
import { firstDials, freshSeed, presets, readDials, type DialName, type PresetName } from './dials';
import { beginsWith, countTokens, type Take } from './take';

/** What the machine is writing. */
export interface Run {
  /** Those that are being written, and how many tokens each is to have. */
  readonly takes: readonly { readonly id: string; readonly until: number }[];
  /** The one whose words go into the story. */
  readonly inStory: string | null;
  /** What is written again, and stands in the story all the same if the page goes meanwhile. */
  readonly again: Take | null;
  /** How many tokens the first of them has. */
  readonly done: number;
  readonly until: number;
  /** Tokens per second, once there are two tokens to measure between. */
  readonly pace: number | null;
}

/** The story on the page: its name, its text, how it is to be written, and all that was ever written in it. */
export class OpenStory {
  readonly manuscript = new Manuscript();
  readonly id = signal(firstStoryId);
  /** Whether it is this tab's to write in: not while it is being opened, or another tab has it. */
  readonly place = signal<'opening' | 'elsewhere' | 'here'>('opening');
  /** Empty until the writer names it. */
  readonly title = signal('');
  readonly takes = signal<ReadonlyMap<string, Take>>(new Map());
  readonly dialTexts = signal(firstDials());
  readonly run = signal<Run | null>(null);
  /** A run that a reload interrupted, until it is taken up again. */
  readonly interrupted = signal<SavedRun | null>(null);
  /** Told of each change: there is something to save. */
  onChange: () => void = () => undefined;
  /** Told of each change that the writer makes to the text, before. */
  onEdit: () => void = () => undefined;

  /** What the list of stories shows of it. */
  readonly label = computed(() => labelOf(this.title.value, this.manuscript.text.value, this.manuscript.words.value));
  readonly reading = computed(() => readDials(this.dialTexts.value));

  constructor() {
    this.manuscript.onEdit = () => {
      this.onEdit();
      this.onChange();
    };
  }

  rename(title: string): void {
    this.title.value = title;
    this.onChange();
  }

  turn(dial: DialName, text: string): void {
    this.dialTexts.value = { ...this.dialTexts.value, [dial]: text };
    this.onChange();
  }

  preset(name: PresetName): void {
    this.dialTexts.value = { ...this.dialTexts.value, ...presets[name] };
    this.onChange();
  }

  rollSeed(): void {
    this.turn('seed', freshSeed());
  }

  /** A take only grows: one that is written again, or less of it, is the same. */
  keepTake(take: Take): void {
    const known = this.takes.value.get(take.id);
    const longer = known && countTokens(known) > countTokens(take) && beginsWith(known.state.tokens, take.state.tokens);
    const kept = longer ? { ...known, wanted: take.wanted } : { ...take, starred: known?.starred ?? take.starred };
    this.takes.value = new Map(this.takes.value).set(take.id, kept);
  }

  star({ id }: Take): void {
    const now = this.takes.value.get(id);
    if (!now) return;
    this.takes.value = new Map(this.takes.value).set(id, { ...now, starred: !now.starred });
    this.onChange();
  }
}
