/** Has the browser save a file, as if it had been downloaded. */
export function saveFile(name: string, content: Blob | string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: 'text/plain' }));
  link.download = name;
  link.click();
  // Not at once: the browser has only begun to read it.
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 60_000);
}
