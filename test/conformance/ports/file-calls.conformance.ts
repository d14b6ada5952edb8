import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileCalls } from '#protocol/file-calls.ts';

export interface FileCallsUnderTest {
  readonly calls: FileCalls;
  /** The path of an existing empty folder. */
  readonly folder: string;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Tests the requirements of all implementations of file calls, real or simulated. */
export const fileCallsConformance = (name: string, make: () => FileCallsUnderTest): void => {
  const begin = () => {
    const { calls, folder } = make();
    const at = (...parts: readonly string[]): string => path.join(folder, ...parts);
    const put = (file: string, text: string): void => {
      const descriptor = calls.open(file, 'wx');
      calls.write(descriptor, bytes(text));
      calls.close(descriptor);
    };
    const text = (file: string): string => Buffer.from(calls.read(file)).toString();
    /** Returns the system's error code of a call that fails. */
    const code = (call: () => unknown): unknown => {
      try {
        call();
      } catch (thrown) {
        return (thrown as { code?: unknown }).code;
      }
      return 'done';
    };
    return { calls, folder, at, put, text, code };
  };

  describe(`file calls: ${name}`, () => {
    test('a: makes the file, and always writes at its end', () => {
      const { calls, at, text } = begin();
      const one = calls.open(at('a'), 'a');
      const other = calls.open(at('a'), 'a');
      expect(calls.write(one, bytes('12'))).toBe(2);
      calls.write(other, bytes('34'));
      calls.write(one, bytes('56'));
      calls.truncate(one, 3);
      calls.write(other, bytes('7'));
      expect(text(at('a'))).toBe('1237');
    });

    test('wx: a new file, written on and on; refused when there is one', () => {
      const { calls, at, text, code } = begin();
      const descriptor = calls.open(at('a'), 'wx');
      calls.write(descriptor, bytes('12'));
      calls.write(descriptor, bytes('3'));
      expect(text(at('a'))).toBe('123');
      expect(code(() => calls.open(at('a'), 'wx'))).toBe('EEXIST');
    });

    test('r+: over what is there, from the start; refused when there is nothing', () => {
      const { calls, at, put, text, code } = begin();
      put(at('a'), 'abcd');
      const descriptor = calls.open(at('a'), 'r+');
      calls.write(descriptor, bytes('12'));
      calls.write(descriptor, bytes('3'));
      expect(text(at('a'))).toBe('123d');
      expect(code(() => calls.open(at('b'), 'r+'))).toBe('ENOENT');
    });

    test('a place of its own: over what is there and past its end, and the next one goes on as if nothing had been', () => {
      const { calls, at, put, text } = begin();
      put(at('a'), 'abcdef');
      const descriptor = calls.open(at('a'), 'r+');
      calls.write(descriptor, bytes('1'));
      expect(calls.write(descriptor, bytes('45'), 3)).toBe(2);
      calls.write(descriptor, bytes('2'));
      calls.write(descriptor, bytes('9'), 8);
      expect(text(at('a'))).toBe('12c45f\0\x009');
    });

    test('truncate shortens, and fills up with zeros', () => {
      const { calls, at, put, text } = begin();
      put(at('a'), 'abcd');
      const descriptor = calls.open(at('a'), 'r+');
      calls.truncate(descriptor, 2);
      calls.truncate(descriptor, 4);
      expect(text(at('a'))).toBe('ab\0\0');
    });

    test('what was written is read at once, synced or not', async () => {
      const { calls, at, text } = begin();
      const descriptor = calls.open(at('a'), 'a');
      calls.write(descriptor, bytes('1'));
      expect(text(at('a'))).toBe('1');
      calls.datasync(descriptor);
      calls.sync(descriptor);
      await calls.datasyncAside(descriptor);
      expect(text(at('a'))).toBe('1');
      calls.close(descriptor);
    });

    test('a closed descriptor takes nothing more', async () => {
      const { calls, at, code } = begin();
      const descriptor = calls.open(at('a'), 'a');
      calls.close(descriptor);
      expect(code(() => calls.write(descriptor, bytes('1')))).toBe('EBADF');
      expect(code(() => calls.datasync(descriptor))).toBe('EBADF');
      expect(code(() => calls.sync(descriptor))).toBe('EBADF');
      expect(code(() => calls.truncate(descriptor, 0))).toBe('EBADF');
      expect(code(() => calls.close(descriptor))).toBe('EBADF');
      await expect(calls.datasyncAside(descriptor)).rejects.toMatchObject({ code: 'EBADF' });
    });

    test('rename replaces; an open descriptor stays with its content', () => {
      const { calls, at, put, text, code } = begin();
      put(at('old'), 'old');
      put(at('new'), 'new');
      const descriptor = calls.open(at('old'), 'a');
      calls.rename(at('new'), at('old'));
      calls.write(descriptor, bytes(' and lost'));
      expect(text(at('old'))).toBe('new');
      expect(calls.list(at())).toEqual(['old']);
      expect(code(() => calls.rename(at('new'), at('old')))).toBe('ENOENT');
      calls.makeFolder(at('folder'));
      expect(code(() => calls.rename(at('old'), at('folder')))).toBe('EISDIR');
    });

    test('rename into another folder', () => {
      const { calls, at, put, text } = begin();
      put(at('a'), '1');
      calls.makeFolder(at('folder'));
      calls.rename(at('a'), at('folder', 'b'));
      expect([calls.list(at()), text(at('folder', 'b'))]).toEqual([['folder'], '1']);
    });

    test('link gives a second name to one content, and never takes one', () => {
      const { calls, at, put, text, code } = begin();
      put(at('a'), '1');
      calls.link(at('a'), at('b'));
      calls.write(calls.open(at('a'), 'a'), bytes('2'));
      calls.remove(at('a'));
      expect(text(at('b'))).toBe('12');
      put(at('c'), '3');
      expect(code(() => calls.link(at('b'), at('c')))).toBe('EEXIST');
      expect(code(() => calls.link(at('a'), at('d')))).toBe('ENOENT');
    });

    test('folders are made with all above them, and removed when empty', () => {
      const { calls, at, put, code } = begin();
      calls.makeFolder(at('one', 'two'));
      calls.makeFolder(at('one', 'two'));
      put(at('one', 'file'), '');
      expect([...calls.list(at('one'))].sort()).toEqual(['file', 'two']);
      expect(calls.stat(at('one')).isFolder).toBe(true);
      expect(code(() => calls.removeFolder(at('one')))).toBe('ENOTEMPTY');
      expect(code(() => calls.removeFolder(at('one', 'file')))).toBe('ENOTDIR');
      expect(code(() => calls.makeFolder(at('one', 'file')))).toBe('EEXIST');
      expect(code(() => calls.makeFolder(at('one', 'file', 'below')))).toBe('ENOTDIR');
      calls.removeFolder(at('one', 'two'));
      calls.syncFolder(at('one'));
      expect(calls.list(at('one'))).toEqual(['file']);
    });

    test('what is missing is ENOENT, a file above it ENOTDIR', () => {
      const { calls, at, put, code } = begin();
      put(at('file'), '');
      const each = (file: string): readonly unknown[] =>
        [
          () => calls.read(file),
          () => calls.stat(file),
          () => calls.list(file),
          () => calls.remove(file),
          () => calls.removeFolder(file),
          () => calls.open(path.join(file, 'deeper'), 'a'),
          () => calls.open(path.join(file, 'deeper'), 'wx'),
        ].map(code);
      expect(new Set(each(at('missing')))).toEqual(new Set(['ENOENT']));
      expect(code(() => calls.syncFolder(at('missing')))).toBe('ENOENT');
      expect(new Set(each(at('file', 'below')))).toEqual(new Set(['ENOTDIR']));
    });

    test('a folder is no file, and a file no folder', () => {
      const { calls, at, put, code } = begin();
      calls.makeFolder(at('folder'));
      put(at('file'), '1234');
      expect(code(() => calls.read(at('folder')))).toBe('EISDIR');
      expect(code(() => calls.open(at('folder'), 'a'))).toBe('EISDIR');
      expect(code(() => calls.open(at('folder'), 'wx'))).toBe('EEXIST');
      expect(code(() => calls.list(at('file')))).toBe('ENOTDIR');
      expect(calls.stat(at('file'))).toMatchObject({ size: 4, isFolder: false });
    });

    test('a file that was removed is still written by who has it open', () => {
      const { calls, at, code } = begin();
      const descriptor = calls.open(at('a'), 'a');
      calls.remove(at('a'));
      expect(calls.write(descriptor, bytes('12'))).toBe(2);
      calls.datasync(descriptor);
      expect(code(() => calls.read(at('a')))).toBe('ENOENT');
    });
  });
};
