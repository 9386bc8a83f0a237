import type { Excerpt } from './find-text';

/** What the page asks of the worker that reads whole libraries, so that typing never waits for that. */
export type LibraryRequest =
  | { readonly id: number; readonly kind: 'search'; readonly query: string }
  | { readonly id: number; readonly kind: 'export' }
  | { readonly id: number; readonly kind: 'import'; readonly text: string };

export interface Hit {
  readonly story: string;
  readonly excerpt: Excerpt;
}

/** Hits come one by one; then, or at once, the end. */
export type LibraryAnswer =
  | { readonly id: number; readonly kind: 'hit'; readonly hit: Hit }
  | { readonly id: number; readonly kind: 'searched' }
  | { readonly id: number; readonly kind: 'exported'; readonly file: Blob }
  | { readonly id: number; readonly kind: 'imported'; readonly stories: readonly string[] }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string };
