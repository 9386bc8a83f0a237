import { fieldsOf, type Field } from './protocol-buffers.js';

// Numbers of fields: of the graph in a model, of the constants in a graph, of name and data in a constant.
const graph = 7;
const constant = 5;
const name = 8;
const data = 9;

/** A copy of an ONNX file in which one constant has other data, of the same length: `change` writes them over the old. */
export function withConstant(
  model: Uint8Array,
  wanted: string,
  change: (data: Uint8Array) => void,
): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(model);
  const [found] = parts(fieldsOf(copy), graph)
    .flatMap((bytes) => parts(fieldsOf(bytes), constant))
    .map(fieldsOf)
    .filter((fields) => nameOf(fields) === wanted);
  const [bytes] = parts(found ?? [], data);
  if (bytes === undefined) throw new Error(`the model has no constant "${wanted}"`);
  change(bytes);
  return copy;
}

function nameOf(fields: readonly Field[]): string {
  const [bytes] = parts(fields, name);
  return new TextDecoder().decode(bytes);
}

/** The bytes of the fields with a number. */
function parts(fields: readonly Field[], wanted: number): Uint8Array[] {
  return fields.flatMap(({ number, value }) => (number === wanted && typeof value !== 'number' ? [value] : []));
}
