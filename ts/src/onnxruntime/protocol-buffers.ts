/** A field of a message. */
export interface Field {
  readonly number: number;
  /** Of a field with a length its bytes, where they are; of one of four or eight bytes those. */
  readonly value: number | Uint8Array;
}

/**
 * The fields of a message in the format of protocol buffers, in order.
 * @throws RangeError where the bytes are no message
 */
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
  const bytes = (length: number): Uint8Array => {
    if (at + length > message.length) throw new RangeError('the message ends within a field');
    return message.subarray(at, (at += length));
  };
  while (at < message.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    const type = key % 8;
    if (type === 0) fields.push({ number, value: varint() });
    else if (type === 1) fields.push({ number, value: bytes(8) });
    else if (type === 2) fields.push({ number, value: bytes(varint()) });
    else if (type === 5) fields.push({ number, value: bytes(4) });
    else throw new RangeError(`a message has no fields of type ${type}`);
  }
  return fields;
}

/** The bytes of all fields with a number. */
export function bytesOf(fields: readonly Field[], wanted: number): Uint8Array[] {
  return fields.flatMap(({ number, value }) => (number === wanted && typeof value !== 'number' ? [value] : []));
}
