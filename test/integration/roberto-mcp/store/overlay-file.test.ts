import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type OverlayEntry,
  readOverlay,
  roundStamp,
  writeOverlay,
} from '../../../../src/roberto-mcp/store/overlay-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'robosmith-overlay-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const time = fc.double({ min: 1e12, max: 2e12, noNaN: true });
const entry: fc.Arbitrary<OverlayEntry> = fc
  .record({
    path: fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).filter((path) => !path.includes('\n')),
    blob: fc.option(fc.integer({ min: 1, max: 1e6 })),
    stamp: fc.record({ size: fc.nat(1e6), mtimeMs: time, ctimeMs: time, inode: fc.integer({ min: 1, max: 2 ** 40 }) }),
    racy: fc.boolean(),
  })
  .map(({ stamp, blob, ...rest }) => ({
    ...rest,
    blob,
    skipped: blob === null ? 'huge' : null,
    stamp: roundStamp(stamp),
  }));

test('a list of files is read as it was written', () => {
  const path = join(folder, 'list.bin');
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: (one) => one.path, maxLength: 60 }), (entries) => {
      writeOverlay(path, { generation: 'g', root: '/r', entries });
      const read = readOverlay(path, 'g');
      const byPath = (list: readonly OverlayEntry[]) => new Map(list.map((one) => [one.path, one]));
      expect(byPath(read?.entries ?? [])).toEqual(byPath(entries));
      expect(read?.root).toBe('/r');
    }),
  );
});

test('a list of another database, a damaged one and none at all are not used', () => {
  const path = join(folder, 'list.bin');
  expect(readOverlay(path, 'g')).toBeNull();
  writeOverlay(path, { generation: 'g', root: '/r', entries: [] });
  expect(readOverlay(path, 'other')).toBeNull();
  expect(readOverlay(path, 'g')).not.toBeNull();
  writeFileSync(path, 'damaged');
  expect(readOverlay(path, 'g')).toBeNull();
});

test('ten thousand files of a checkout take less than 40 bytes each', () => {
  const path = join(folder, 'list.bin');
  const entries = Array.from({ length: 10_000 }, (_, index) => ({
    path: `packages/module-${index % 50}/src/some/folder/component-${index}.ts`,
    blob: index + 1,
    skipped: null,
    racy: false,
    stamp: {
      size: (index * 7_919) % 20_000,
      mtimeMs: 1.7e12 + index * 0.3,
      ctimeMs: 1.7e12 + index * 0.3,
      inode: 5_000_000 + index,
    },
  }));
  writeOverlay(path, { generation: 'g', root: '/r', entries });
  expect(statSync(path).size).toBeLessThan(400_000);
});
