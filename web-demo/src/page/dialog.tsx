import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../words';

interface Props {
  id: string;
  title: string;
  close: () => void;
  /** Stands before the button that closes it. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** Lies over the page until it is closed, by its button or with Esc. */
export function Dialog({ id, title, close, actions, children }: Props): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
      <div class="remedies">
        {actions}
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          {words.close}
        </button>
      </div>
    </dialog>
  );
}
