// What of protocol buffers it takes to write ONNX files: fields with a length, and whole numbers.

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
