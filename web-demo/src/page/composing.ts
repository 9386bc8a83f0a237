/** Whether a key goes to an input method that is putting letters together: Enter and Esc end that, and nothing of the page's. */
export function isComposing(event: KeyboardEvent): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Safari tells of the key that ends it in no other way
  return event.isComposing || event.keyCode === 229;
}
