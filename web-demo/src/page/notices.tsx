import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { UpdateNotice } from '../offline/update-notice';
import type { Updates } from '../offline/updates';
import { words } from '../words';
import type { Trouble, WritingDesk } from '../writing/writing-desk';

/** What went wrong and what to do about it. */
export function Notices({ desk, updates }: { desk: WritingDesk; updates: Updates }): JSX.Element {
  const load = (): void => void desk.loadModel();
  const remedies: Record<Trouble, () => JSX.Element> = {
    model: () => <Remedy label={words.notices.model.action} act={load} />,
    run: () => <Remedy label={words.notices.run.action} act={load} />,
    storeOpen: () => <CopyStory desk={desk} />,
    storeSave: () => (
      <>
        <Remedy label={words.notices.storeSave.action} act={() => void desk.saveAgain()} />
        <CopyStory desk={desk} />
      </>
    ),
  };
  return (
    <div class="notices">
      <UpdateNotice updates={updates} />
      {desk.phase.value === 'elsewhere' && (
        <div class="notice" role="status">
          <NoticeText {...words.notices.elsewhere} />
        </div>
      )}
      {[...desk.troubles.value].map(([trouble, details]) => (
        <div key={trouble} class="notice trouble" role="alert">
          <NoticeText {...words.notices[trouble]}>
            <p class="details">{details}</p>
          </NoticeText>
          <div class="remedies">
            {remedies[trouble]()}
            <Remedy
              label={words.notices.dismiss}
              act={() => {
                desk.settle(trouble);
              }}
              class="quiet"
            />
          </div>
        </div>
      ))}
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

function CopyStory({ desk }: { desk: WritingDesk }): JSX.Element {
  const label = useSignal<string>(words.notices.copy);
  const copy = (): void => {
    navigator.clipboard.writeText(desk.text.value).then(
      () => (label.value = words.notices.copied),
      () => (label.value = words.notices.notCopied),
    );
  };
  return <Remedy label={label.value} act={copy} />;
}
