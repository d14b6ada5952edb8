import { open } from 'node:fs/promises';

const AT_ONCE = 1 << 20;

/** Returns whether two files have the same bytes; false if one of them can't be read. */
export async function sameContent(one: Buffer | string, other: Buffer | string): Promise<boolean> {
  const left = await open(one, 'r').catch(() => null);
  const right = left === null ? null : await open(other, 'r').catch(() => null);
  try {
    if (left === null || right === null) return false;
    if ((await left.stat()).size !== (await right.stat()).size) return false;
    const [a, b] = [Buffer.alloc(AT_ONCE), Buffer.alloc(AT_ONCE)];
    for (;;) {
      const [first, second] = [await left.read(a, 0, AT_ONCE), await right.read(b, 0, AT_ONCE)];
      if (first.bytesRead !== second.bytesRead) return false;
      if (first.bytesRead === 0) return true;
      if (a.compare(b, 0, first.bytesRead, 0, first.bytesRead) !== 0) return false;
    }
  } catch {
    return false;
  } finally {
    await left?.close();
    await right?.close();
  }
}
