const key = 'quillmate-model';

/** The id of the model that was used last in this browser. */
export function lastModel(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined; // where a browser keeps nothing
  }
}

export function rememberModel(id: string): void {
  try {
    localStorage.setItem(key, id);
  } catch {
    // It is chosen again next time.
  }
}
