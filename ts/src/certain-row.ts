/** @internal A row from which any settings and any random number draw this token. */
export function certainRow(token: number, vocabSize: number): Float32Array {
  const row = new Float32Array(vocabSize).fill(-Infinity);
  row[token] = 0;
  return row;
}
