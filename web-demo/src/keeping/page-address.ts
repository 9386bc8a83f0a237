/** What a link to a passage holds, where the page was opened with one. */
export function sharedLink(): string | null {
  return /^#passage=(.+)$/.exec(location.hash)?.[1] ?? null;
}

/** The story that the page's address names, as after a reload. */
export function addressedStory(): string | null {
  const [, id] = /^#story=(.+)$/.exec(location.hash) ?? [];
  if (id === undefined) return null;
  try {
    return decodeURIComponent(id);
  } catch {
    return null; // cut in the midst of a character
  }
}

/** From now on a reload shows this story. */
export function address(id: string): void {
  history.replaceState(null, '', `#story=${encodeURIComponent(id)}`);
}
