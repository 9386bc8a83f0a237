import { bytesOf, fieldsOf, type Field } from '../../ts/dist/onnxruntime/protocol-buffers.js';
import { field, message, text } from './protocol-buffers.js';

// Numbers of fields: of the graph in a model, of the constants in a graph, of name and data in a constant.
const graph = 7;
const constant = 5;
const name = 8;
const data = 9;
const externalData = 13;
const dataLocation = 14;

/** A copy of an ONNX file in which one constant has other data, of the same length: `change` writes them over the old. */
export function withConstant(
  model: Uint8Array,
  wanted: string,
  change: (data: Uint8Array) => void,
): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(model);
  const [found] = bytesOf(fieldsOf(copy), graph)
    .flatMap((bytes) => bytesOf(fieldsOf(bytes), constant))
    .map(fieldsOf)
    .filter((fields) => new TextDecoder().decode(bytesOf(fields, name)[0]) === wanted);
  const [bytes] = bytesOf(found ?? [], data);
  if (bytes === undefined) throw new Error(`the model has no constant "${wanted}"`);
  change(bytes);
  return copy;
}

/** An ONNX file whose larger constants lie in files beside it, and those, by turns in one and the other. */
export function withExternalData(model: Uint8Array, locations: readonly string[]): WithExternalData {
  const parts: Uint8Array[][] = locations.map(() => []);
  let moved = 0;
  const move = (fields: readonly Field[]): Uint8Array => {
    const [bytes] = bytesOf(fields, data);
    if (bytes === undefined || bytes.length < 1024) return message(...fields.map(written));
    const index = moved++ % locations.length;
    const offset = parts[index]!.reduce((sum, { length }) => sum + length, 0);
    parts[index]!.push(bytes);
    const entries = { location: locations[index]!, offset: String(offset), length: String(bytes.length) };
    return message(
      ...fields.filter(({ number }) => number !== data).map(written),
      ...Object.entries(entries).map(([key, value]) =>
        field(externalData, message(field(1, text(key)), field(2, text(value)))),
      ),
      field(dataLocation, 1),
    );
  };
  const inGraph = ({ number, value }: Field): Uint8Array =>
    number === constant && typeof value !== 'number'
      ? field(number, move(fieldsOf(value)))
      : written({ number, value });
  const inModel = ({ number, value }: Field): Uint8Array =>
    number === graph && typeof value !== 'number'
      ? field(number, message(...fieldsOf(value).map(inGraph)))
      : written({ number, value });
  return {
    model: message(...fieldsOf(model).map(inModel)),
    data: Object.fromEntries(locations.map((location, index) => [location, message(...parts[index]!)])),
  };
}

export interface WithExternalData {
  readonly model: Uint8Array<ArrayBuffer>;
  readonly data: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
}

function written({ number, value }: Field): Uint8Array {
  return field(number, value);
}
