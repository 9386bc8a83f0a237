import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fileName } from '../library/story-files';
import { words } from '../words';
import { toLinkText, type SharedPassage } from '../writing/shared-passage';
import { Dialog } from './dialog';
import { saveFile } from './save-file';

/** A passage for somebody else, as a link or a file. */
export function ShareDialog({ passage, close }: { passage: SharedPassage; close: () => void }): JSX.Element {
  const link = useSignal('');
  const copyLabel = useSignal<string>(words.share.copy);

  useEffect(() => {
    void toLinkText(passage).then((text) => {
      link.value = `${location.href.replace(/#.*/, '')}#passage=${text}`;
    });
  }, [passage, link]);

  const copy = (): void => {
    navigator.clipboard.writeText(link.value).then(
      () => (copyLabel.value = words.share.copied),
      () => (copyLabel.value = words.share.notCopied),
    );
  };
  const actions = (
    <>
      <button type="button" class="primary" onClick={copy}>
        {copyLabel.value}
      </button>
      <button
        type="button"
        onClick={() => {
          saveFile(fileName(passage.title, words.share.fileKind), JSON.stringify(passage, null, 1));
        }}
      >
        {words.share.file}
      </button>
    </>
  );
  return (
    <Dialog id="share-title" title={words.share.title} actions={actions} close={close}>
      <p class="hint">{words.share.about}</p>
      <input type="text" readOnly aria-label={words.share.link} value={link.value} />
    </Dialog>
  );
}
