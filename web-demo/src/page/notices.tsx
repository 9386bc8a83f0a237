import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { fileName, toFileText } from '../library/story-files';
import { UpdateNotice } from '../offline/update-notice';
import type { Updates } from '../offline/updates';
import { words } from '../words';
import type { Trouble } from '../writing/troubles';
import type { WritingDesk } from '../writing/writing-desk';
import { focusStories } from './keyboard-place';
import { saveFile } from './save-file';

/** What went wrong and what to do about it. */
export function Notices({ desk, updates }: { desk: WritingDesk; updates: Updates }): JSX.Element {
  const load = (): void => void desk.machine.reload();
  const remedies: Record<Trouble, () => JSX.Element | null> = {
    model: () => <Remedy label={words.notices.model.action} act={load} />,
    run: () => <Remedy label={words.notices.run.action} act={load} />,
    storeOpen: () => <TakeStoryAway desk={desk} />,
    storeSave: () => (
      <>
        <Remedy label={words.notices.storeSave.action} act={() => void desk.saveAgain()} />
        <TakeStoryAway desk={desk} />
      </>
    ),
    library: () => null,
    heldElsewhere: () => null,
    share: () => null,
  };
  return (
    <div class="notices">
      <UpdateNotice updates={updates} />
      {desk.machine.phase.value === 'elsewhere' && (
        <div class="notice" role="status">
          <NoticeText {...words.notices.elsewhere} />
        </div>
      )}
      {desk.stories.lastDeleted.value && <Deleted desk={desk} {...desk.stories.lastDeleted.value} />}
      {[...desk.troubles.all.value].map(([trouble, details]) => (
        <div key={trouble} class="notice trouble" role="alert">
          <NoticeText {...words.notices[trouble]}>{details !== '' && <p class="details">{details}</p>}</NoticeText>
          <div class="remedies">
            {remedies[trouble]()}
            <Remedy
              label={words.notices.dismiss}
              act={() => {
                focusStories();
                desk.troubles.settle(trouble);
              }}
              class="quiet"
            />
          </div>
        </div>
      ))}
    </div>
  );
}

function Deleted({ desk, id, title }: { desk: WritingDesk; id: string; title: string }): JSX.Element {
  const undo = async (): Promise<void> => {
    await desk.stories.restore(id);
    // The notice is gone, and its button with it.
    if (document.activeElement === document.body) focusStories();
  };
  return (
    <div class="notice" role="status">
      <p class="notice-text">{words.library.deleted(title)}</p>
      <div class="remedies">
        <Remedy label={words.library.undo} act={() => void undo()} />
        <Remedy
          label={words.notices.dismiss}
          act={() => {
            focusStories();
            desk.stories.lastDeleted.value = null;
          }}
          class="quiet"
        />
      </div>
    </div>
  );
}

interface NoticeTextProps {
  title: string;
  advice: string;
  children?: ComponentChildren;
}

function NoticeText({ title, advice, children }: NoticeTextProps): JSX.Element {
  return (
    <div class="notice-text">
      <p>
        <strong>{title}</strong> {advice}
      </p>
      {children}
    </div>
  );
}

function Remedy({ label, act, class: look }: { label: string; act: () => void; class?: string }): JSX.Element {
  return (
    <button type="button" class={look} onClick={act}>
      {label}
    </button>
  );
}

/** What is on the page, where the store does not keep it. */
function TakeStoryAway({ desk }: { desk: WritingDesk }): JSX.Element {
  const save = (): void => {
    const story = { title: desk.story.title.value, text: desk.story.manuscript.text.value };
    saveFile(fileName(words.library.titleOf(desk.story.label.value), 'md'), toFileText(story, 'md'));
  };
  return (
    <>
      <CopyStory desk={desk} />
      <Remedy label={words.notices.save} act={save} />
    </>
  );
}

function CopyStory({ desk }: { desk: WritingDesk }): JSX.Element {
  const label = useSignal<string>(words.notices.copy);
  const copy = (): void => {
    navigator.clipboard.writeText(desk.story.manuscript.text.value).then(
      () => (label.value = words.notices.copied),
      () => (label.value = words.notices.notCopied),
    );
  };
  return <Remedy label={label.value} act={copy} />;
}
