import { batch } from '@preact/signals';
import type { Story } from 'quillmate-sampler/store';
import type { MarkedPlace } from '../story/story-document';
import type { OpenStory } from '../writing/open-story';
import { fromStory, readStoryLabel, toStory } from './saved-desk';

/** All of the story on the page, as it is kept. */
export function snapshotOf(story: OpenStory): Story {
  const { manuscript, interrupted } = story;
  const run = story.run.value;
  const pen = manuscript.pen.value;
  const { text, places } = textOf(story);
  const take = run?.inStory ?? null;
  const inStory = take !== null && pen ? { take, from: pen.from, to: pen.to } : null;
  return toStory(story.id.value, text, {
    label: story.label.value,
    dials: story.dialTexts.value,
    takes: [...story.takes.value.values()],
    places,
    caret: manuscript.caret.value,
    run: run && !run.again ? { takes: run.takes, inStory } : interrupted.value,
  });
}

/** Puts what was kept on the page. */
export function lay(saved: Omit<Story, 'id'>, story: OpenStory): void {
  const { dials, takes, places, caret, run } = fromStory(saved);
  batch(() => {
    story.manuscript.load(saved.text, places, caret);
    story.title.value = readStoryLabel(saved.data)?.title ?? '';
    story.dialTexts.value = dials;
    story.takes.value = new Map(takes.map((take) => [take.id, take]));
    story.interrupted.value = run;
  });
}

/** What is being written again is as good as written. */
function textOf({ manuscript, run }: OpenStory): { text: string; places: readonly MarkedPlace[] } {
  const text = manuscript.text.value;
  const places = manuscript.places.value;
  const again = run.value?.again;
  const pen = manuscript.pen.value;
  if (!again || !pen) return { text, places };
  const end = pen.from + again.text.length;
  const moved = (offset: number): number => (offset >= pen.to ? offset - pen.to + end : offset);
  return {
    text: text.slice(0, pen.from) + again.text + text.slice(pen.to),
    places: places
      .filter(({ from, to }) => to <= pen.from || from >= pen.to)
      .map((place) => ({ ...place, from: moved(place.from), to: moved(place.to) }))
      .concat({ take: again.id, from: pen.from, to: end }),
  };
}
