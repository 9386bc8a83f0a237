// Stands for a language model in the examples: which words may follow which. A real one gives its row of logits in the same way.
const words = ['.', 'the', 'a', 'king', 'fox', 'bird', 'saw', 'followed', 'slept', 'old', 'small'];
const noun = { king: 2, fox: 1.5, bird: 1 };
const start = { the: 1, a: 0.5 };
const next = {
  '.': start,
  the: { ...noun, old: 0.5, small: 0.5 },
  a: { ...noun, old: 0.5, small: 0.5 },
  old: noun,
  small: noun,
  king: { saw: 1, followed: 1, slept: 0.5, '.': -1 },
  fox: { saw: 1, followed: 1.5, slept: 1, '.': -1 },
  bird: { saw: 1, followed: 0.5, slept: 0.5, '.': -1 },
  saw: start,
  followed: start,
  slept: { '.': 1 },
};

/** From the tokens so far to the logits of the next one; minus infinity for what cannot follow. */
export const model = (tokens) => words.map((word) => next[words[tokens.at(-1)]][word] ?? -Infinity);
export const prompt = [0];
export const end = 0;
export const textOf = (tokens) => tokens.map((token) => words[token]).join(' ');
