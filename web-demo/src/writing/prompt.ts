/*
 * How a story becomes the text the model is asked to continue, and how its answer is joined on.
 * Both are pure functions of the story, so that the same story always asks the same question.
 */

import type { TextTokenizer } from '../models/text-tokenizer';

/** Only this much of a long story is encoded; far more than the model can see. */
const tailCharacters = 8000;

/** Leaves room in the model's context for a usual continuation, so that its window does not have to move. */
const roomToWrite = 128;

/** What the model is asked to continue: the end of the story, as much of it as the model can use. */
export function promptOf(tokenizer: TextTokenizer, story: string, contextLength: number): number[] {
  const room = Math.min(roomToWrite, contextLength >> 1);
  return tokenizer.prompt(promptText(story.slice(-tailCharacters)), contextLength - room);
}

/** The model was trained on straight quotes, `--` without spaces, and blank lines between paragraphs. */
const plainForms: readonly (readonly [RegExp, string])[] = [
  [/\r\n?/g, '\n'],
  [/[\u00ad\u200b-\u200d\u2060\ufeff]/g, ''],
  [/[\t\u00a0\u2000-\u200a\u202f]/g, ' '],
  [/[\u2018\u2019\u201a\u201b\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/g, '"'],
  [/\u2026/g, '...'],
  [/ *(?:[\u2014\u2015]|--+) *| +\u2013 +/g, '--'],
  [/[\u2010-\u2013\u2212]/g, '-'],
  [/ +/g, ' '],
  [/\n{3,}/g, '\n\n'],
];

/** Never ends in a space: the next word brings its own. */
export function promptText(story: string): string {
  const plain = plainForms.reduce((text, [form, plainForm]) => text.replace(form, plainForm), story);
  return plain.replace(/ $/, '');
}

/** What is appended to the story: the first word's own space goes where the story already has one. */
export function continuationText(story: string, generated: string): string {
  return /(^|\s)$/.test(story) && generated.startsWith(' ') ? generated.slice(1) : generated;
}
