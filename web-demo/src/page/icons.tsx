import type { JSX } from 'preact';

export function QuillIcon(): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M5 28 C9 20 13 14 19 10 M9 21 C6 12 14 4 28 3 C28 14 22 22 11 20 M16 19 L20 17" />
    </svg>
  );
}

export function DiceIcon(): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 32 32" aria-hidden="true">
      <rect x="5" y="5" width="22" height="22" rx="5" />
      <path d="M11 11 h.01 M21 11 h.01 M16 16 h.01 M11 21 h.01 M21 21 h.01" class="pips" />
    </svg>
  );
}

export function MoreIcon(): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M7 16 h.01 M16 16 h.01 M25 16 h.01" class="pips" />
    </svg>
  );
}

export function StarIcon(): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 4 L19.6 12 L28 13 L21.8 18.8 L23.4 27 L16 22.8 L8.6 27 L10.2 18.8 L4 13 L12.4 12 Z" />
    </svg>
  );
}

export function FindIcon(): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M20 20 L28 28 M13 4 A9 9 0 1 0 13 22 A9 9 0 1 0 13 4" />
    </svg>
  );
}
