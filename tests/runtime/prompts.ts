import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';

/**
 * Openings of stories as token ids: some alone, some after all that come before, so that texts share beginnings and get
 * longer than the model's context.
 * @param folder the model's
 */
export async function prompts(folder: string): Promise<number[][]> {
  const read = async (file: string) => JSON.parse(await readFile(`${folder}/${file}`, 'utf8')) as object;
  const tokenizer = new Tokenizer(await read('tokenizer.json'), await read('tokenizer_config.json'));
  return openings.map((opening, i) => {
    const text = i % 2 === 0 ? opening : openings.slice(0, i + 1).join(' ');
    return [0, ...tokenizer.encode(text, { add_special_tokens: false }).ids];
  });
}

/** As many as are wanted, the first being {@link prompts}, the others two of these in a row. */
export async function manyPrompts(folder: string, count: number): Promise<number[][]> {
  const first = await prompts(folder);
  return Array.from({ length: count }, (_, i) => {
    const [one = [], other = []] = [
      first[i % first.length],
      first[(i * 7 + 3 + Math.floor(i / first.length)) % first.length],
    ];
    return i < first.length ? one : [...one, ...other.slice(1)];
  });
}

const openings = [
  'Once upon a time there was a miller who had three daughters and no bread.',
  'The old lighthouse had been dark for eleven winters when the letter came.',
  '"You are late," said the fox, without looking up from the map.',
  'In the village below the mill nobody spoke of the well.',
  'Captain Marlow counted the sails again, and again there was one too many.',
  'It was raining when the stranger knocked, and he did not come in.',
  'My grandmother kept the key in a tin of buttons.',
  'The king had a garden in which no bird would sing.',
  'At the end of the lane, where the hedge is broken, a child sat waiting.',
  '"There is no road to the sea," the carter told them, and spat.',
  'When the snow melted they found the bell, and beside it a shoe.',
  'The train stood still in the middle of the forest, and the lamps went out.',
  'Anna had never seen a horse weep before.',
  'Long ago, before the river had a name, two brothers came to its bank.',
  'The clock in the hall struck thirteen, and the whole house held its breath.',
  'He had sold his shadow for a good coat, and the winter was mild.',
  'On the third day the wind turned and brought the smell of apples.',
  '"Do not open it," she said, "until you have forgotten why you wanted to."',
  'The princess was small and plain, and she could whistle like a bosun.',
  'Nobody in the inn remembered hiring the boy who carried the soup.',
];
