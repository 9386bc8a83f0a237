import type { Fields, Start } from './explorer';
import { words } from './words';

const names = Object.keys(words.first) as (keyof Fields)[];

/** What a link asks for, in the place of what the page begins with by itself. */
export function startOf(query: string): Start {
  const given = new URLSearchParams(query);
  const fields = names.map((name) => [name, given.get(name) ?? words.first[name]]);
  return { fields: Object.fromEntries(fields) as Record<keyof Fields, string>, pasted: given.has('logits') };
}

/** The link to what the fields ask for. */
export function queryOf(fields: Fields, pasted: boolean): string {
  const without = pasted ? 'prompt' : 'logits';
  const used = names.filter((name) => name !== without).map((name): [string, string] => [name, fields[name]]);
  return `?${new URLSearchParams(used).toString()}`;
}
