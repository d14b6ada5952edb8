import type { Export } from '../../../support/collector.ts';

/** A decoded protobuf message: the values by field number, nested messages as bytes. */
type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

function varint(bytes: Buffer, at: { offset: number }): bigint {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes.readUInt8(at.offset++);
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

function fieldValue(bytes: Buffer, at: { offset: number }, wireType: number): Buffer | bigint {
  switch (wireType) {
    case 0:
      return varint(bytes, at);
    case 1:
      return bytes.readBigUInt64LE((at.offset += 8) - 8);
    case 2: {
      const length = Number(varint(bytes, at));
      if (at.offset + length > bytes.length) throw new Error('the message is cut short');
      return bytes.subarray(at.offset, (at.offset += length));
    }
    case 5:
      return BigInt(bytes.readUInt32LE((at.offset += 4) - 4));
    default:
      throw new Error(`wire type ${wireType}`);
  }
}

function decode(bytes: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>();
  const at = { offset: 0 };
  while (at.offset < bytes.length) {
    const tag = Number(varint(bytes, at));
    const values = fields.get(tag >> 3) ?? [];
    values.push(fieldValue(bytes, at, tag & 7));
    fields.set(tag >> 3, values);
  }
  return fields;
}

const messages = (fields: Fields, field: number): readonly Fields[] =>
  (fields.get(field) ?? []).map((value) => decode(value as Buffer));

const bytesOf = (fields: Fields, field: number): Buffer => (fields.get(field)?.[0] ?? Buffer.alloc(0)) as Buffer;

const milliseconds = (fields: Fields, field: number, epoch: number): number =>
  Number((fields.get(field)?.[0] as bigint) - BigInt(epoch) * 1_000_000n) / 1e6;

/**
 * Returns the spans of an export. Field numbers are those of opentelemetry/proto/trace/v1/trace.proto; times are in
 * milliseconds after `epoch`.
 */
export const spansIn = ({ body }: Export, epoch: number) =>
  messages(decode(body), 1)
    .flatMap((resourceSpans) => messages(resourceSpans, 2))
    .flatMap((scopeSpans) => messages(scopeSpans, 2))
    .map((span) => ({
      traceId: bytesOf(span, 1).toString('hex'),
      spanId: bytesOf(span, 2).toString('hex'),
      parentSpanId: bytesOf(span, 4).toString('hex'),
      name: bytesOf(span, 5).toString(),
      start: milliseconds(span, 7, epoch),
      end: milliseconds(span, 8, epoch),
      attributes: messages(span, 9).map((pair) => bytesOf(pair, 1).toString()),
      events: messages(span, 11).map((event) => bytesOf(event, 2).toString()),
      status: Number(messages(span, 15)[0]?.get(3)?.[0]),
    }));
