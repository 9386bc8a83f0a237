import type { ComponentChildren, JSX } from 'preact';
import type { Signal } from '@preact/signals';

interface SwitchProps {
  open: Signal<boolean>;
  /** The id of the panel. */
  panel: string;
  class: string;
  children: ComponentChildren;
}

/** A button that shows a panel and takes it away. */
export function PanelSwitch({ open, panel, class: name, children }: SwitchProps): JSX.Element {
  return (
    <button
      type="button"
      class={`quiet ${name}`}
      aria-expanded={open.value}
      aria-controls={panel}
      onClick={() => (open.value = !open.value)}
    >
      {children}
    </button>
  );
}
