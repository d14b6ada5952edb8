/** A value in the metadata of a GGUF file, with its stored type. */
export type GgufValue =
  | { readonly as: 'uint32' | 'float32'; readonly value: number }
  | { readonly as: 'bool'; readonly value: boolean }
  | { readonly as: 'string'; readonly value: string }
  | { readonly as: 'strings'; readonly value: readonly string[] }
  | { readonly as: 'int32s' | 'float32s'; readonly value: readonly number[] };

/** A tensor. The first dimension of its shape is the one that changes fastest. */
export interface GgufTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly weights: Float32Array;
}

const TYPE = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;
const FORMAT_VERSION = 3;
const F32 = 0;
const ALIGNMENT = 32;

const numberOf = (bytes: number, write: (buffer: Buffer) => void): Buffer => {
  const buffer = Buffer.alloc(bytes);
  write(buffer);
  return buffer;
};
const uint32 = (value: number): Buffer => numberOf(4, (buffer) => buffer.writeUInt32LE(value));
const int32 = (value: number): Buffer => numberOf(4, (buffer) => buffer.writeInt32LE(value));
const float32 = (value: number): Buffer => numberOf(4, (buffer) => buffer.writeFloatLE(value));
const uint64 = (value: number): Buffer => numberOf(8, (buffer) => buffer.writeBigUInt64LE(BigInt(value)));
const string = (value: string): Buffer => Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)]);

const array = (type: number, items: readonly Buffer[]): Buffer =>
  Buffer.concat([uint32(TYPE.array), uint32(type), uint64(items.length), ...items]);

function encode(entry: GgufValue): Buffer {
  switch (entry.as) {
    case 'uint32':
      return Buffer.concat([uint32(TYPE.uint32), uint32(entry.value)]);
    case 'float32':
      return Buffer.concat([uint32(TYPE.float32), float32(entry.value)]);
    case 'bool':
      return Buffer.concat([uint32(TYPE.bool), Buffer.from([Number(entry.value)])]);
    case 'string':
      return Buffer.concat([uint32(TYPE.string), string(entry.value)]);
    case 'strings':
      return array(TYPE.string, entry.value.map(string));
    case 'int32s':
      return array(TYPE.int32, entry.value.map(int32));
    case 'float32s':
      return array(TYPE.float32, entry.value.map(float32));
  }
}

const padding = (size: number): Buffer => Buffer.alloc((ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT);
const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, padding(bytes.length)]);

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Returns a model file in GGUF format with weights as 32-bit floats (see docs/gguf.md of ggml). */
export function ggufBytes(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Buffer {
  const entries = Object.entries(metadata);
  const data = tensors.map(({ weights }) => padded(bytesOf(weights)));
  let offset = 0;
  const infos = tensors.map(({ name, shape }, index) => {
    const at = offset;
    offset += data[index]?.length ?? 0;
    return Buffer.concat([string(name), uint32(shape.length), ...shape.map(uint64), uint32(F32), uint64(at)]);
  });
  const head = [Buffer.from('GGUF'), uint32(FORMAT_VERSION), uint64(tensors.length), uint64(entries.length)];
  const pairs = entries.map(([key, value]) => Buffer.concat([string(key), encode(value)]));
  return Buffer.concat([padded(Buffer.concat([...head, ...pairs, ...infos])), ...data]);
}
