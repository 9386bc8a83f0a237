import type { Signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/**
 * Keeps the keyboard in a list whose lines come, go and change places: a line that is moved gets it back, and one that is
 * gone leaves it to the next.
 * @param place holds the list; nothing is done while the keyboard is elsewhere
 * @param otherwise a selector of what gets it when no line is left
 */
export function useKeyboardPlace(place: { readonly current: HTMLElement | null }, otherwise: string): void {
  // The browser takes it away when the page is changed, which is after this and before the effect.
  const held = document.activeElement;
  const line = place.current?.contains(held) ? held?.closest('li') : null;
  const list = line?.parentElement;
  const at = line ? [...(list?.children ?? [])].indexOf(line) : -1;
  useLayoutEffect(() => {
    if (!line || !(held instanceof HTMLElement) || document.activeElement !== document.body) return;
    const next = list?.isConnected ? (list.children[at] ?? list.lastElementChild) : null;
    const heir = held.isConnected ? held : (next?.querySelector('button') ?? place.current?.querySelector(otherwise));
    if (heir instanceof HTMLElement) heir.focus();
  });
}

/** Takes a panel away; the keyboard goes from it to the button that shows it. */
export function closePanel(open: Signal<boolean>, panel: string): void {
  if (document.getElementById(panel)?.contains(document.activeElement))
    document.querySelector<HTMLElement>(`[aria-controls="${panel}"]`)?.focus();
  open.value = false;
}

/** For when what had the keyboard is gone: to the story in the list, or to the button that shows the list. */
export function focusStories(): void {
  const line = document.querySelector<HTMLElement>('#library:not([hidden]) [aria-current] .story-link');
  (line ?? document.querySelector<HTMLElement>('.library-switch'))?.focus();
}
