// What of protocol buffers ONNX files need: fields with a length, and whole numbers.

export interface Field {
  readonly number: number;
  /** Of a field with a length: its bytes, where they are. */
  readonly value: number | Uint8Array;
}

export function field(number: number, value: number | Uint8Array): Uint8Array {
  return typeof value === 'number'
    ? Uint8Array.of(...varint(8 * number), ...varint(value))
    : message(Uint8Array.of(...varint(8 * number + 2), ...varint(value.length)), value);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

export function message(...fields: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, { length }) => sum + length, 0));
  fields.reduce((end, field) => {
    bytes.set(field, end);
    return end + field.length;
  }, 0);
  return bytes;
}

export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

/** The fields of a message, in order. */
export function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new RangeError('the message ends within a number');
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    if (key % 8 === 0) {
      fields.push({ number, value: varint() });
    } else if (key % 8 === 2) {
      const length = varint();
      fields.push({ number, value: message.subarray(at, at + length) });
      at += length;
    } else {
      throw new TypeError(`nothing is known of the type of field ${number}`);
    }
  }
  return fields;
}
