import { loadModel } from 'quillmate-sampler/onnxruntime';

/** Eight rows that the model makes on its way through a text, written out for sending to a page. */
export async function realRows(modelFolder: string): Promise<number[][]> {
  const model = await loadModel({ url: modelFolder });
  const text = [0];
  const rows: number[][] = [];
  while (rows.length < 8) {
    const row = await model(text);
    if (!(row instanceof Float32Array)) throw new Error('the rows are to be in float32');
    rows.push([...row]);
    text.push(row.indexOf(Math.max(...row)));
  }
  model.dispose();
  return rows;
}
