// Reads the wire format of protocol buffers: enough of it to look into what is sent.

export type Field = bigint | Buffer;

/** The fields of a message by their numbers, each with all of its values in order. */
export function fieldsOf(message: Buffer): ReadonlyMap<number, readonly Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number): Buffer => {
    if (at + length > message.length) throw new RangeError("The message is cut");
    at += length;
    return message.subarray(at - length, at);
  };
  const read = (type: number): Field => {
    if (type === 0) return varint();
    if (type === 1) return bytes(8);
    if (type === 2) return bytes(Number(varint()));
    if (type === 5) return bytes(4);
    throw new TypeError(`No wire type of protocol buffers: ${type}`);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const values = fields.get(tag >> 3) ?? [];
    values.push(read(tag & 7));
    fields.set(tag >> 3, values);
  }
  return fields;
}
