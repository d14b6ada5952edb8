import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const STORED = 0;

/** Returns the files of a VSIX, which is a zip archive, by their paths. */
export function readPackage(file: string): ReadonlyMap<string, Buffer> {
  const zip = readFileSync(file);
  let end = zip.length - 22;
  while (zip.readUInt32LE(end) !== END) end -= 1;
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(from, from + size);
    const path = zip.toString('utf8', at + 46, at + 46 + name);
    if (!path.endsWith('/')) files.set(path, method === STORED ? packed : inflateRawSync(packed));
    at += 46 + name + extra + comment;
  }
  return files;
}
