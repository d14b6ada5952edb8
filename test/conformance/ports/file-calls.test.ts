import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fileCalls } from '#io/files/file-calls.ts';
import {
  createSimulatedDisk,
  type DiskProcess,
  type SimulatedDisk,
  type Verdict,
} from '../../support/simulated-disk.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { fileCallsConformance } from './file-calls.conformance.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

fileCallsConformance('the system', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-calls-'));
  folders.push(folder);
  return { calls: fileCalls, folder };
});

fileCallsConformance('simulated', () => {
  const { calls } = createSimulatedDisk().start();
  calls.makeFolder('/project');
  return { calls, folder: '/project' };
});

describe('the simulated disk', () => {
  const put = ({ calls }: DiskProcess, file: string, text: string, sync: boolean): void => {
    const descriptor = calls.open(file, 'a');
    calls.write(descriptor, Buffer.from(text));
    if (sync) calls.sync(descriptor);
    calls.close(descriptor);
  };
  const contents = (disk: SimulatedDisk): Record<string, string> =>
    Object.fromEntries([...disk.files()].map(([file, content]) => [file, content.toString()]));
  /** Returns the files that remain after `work` and a power loss, once for each of many random seeds. */
  const leftBy = (work: (disk: SimulatedDisk) => void): readonly Record<string, string>[] =>
    Array.from({ length: 400 }, (_, seed) => {
      const disk = createSimulatedDisk([['/p/a', Buffer.from('old\n')]]);
      work(disk);
      disk.losePower(seededRandom(seed));
      return contents(disk);
    });

  test('a process that ends leaves all that it wrote', () => {
    const disk = createSimulatedDisk([['/p/a', Buffer.from('1')]]);
    const first = disk.start();
    put(first, '/p/a', '2', false);
    first.kill();
    expect(() => first.calls.read('/p/a')).toThrow('a process that has ended');
    expect(contents(disk)).toEqual({ '/p/a': '12' });
  });

  test('a power loss leaves what was synced, names too', () => {
    const left = leftBy((disk) => {
      const process = disk.start();
      put(process, '/p/a', 'safe\n', true);
      put(process, '/p/b', 'safe\n', true);
      process.calls.syncFolder('/p');
      put(process, '/p/c', 'lost?\n', true);
    });
    const names = new Set(left.map((files) => Object.keys(files).join(' ')));
    expect(names).toEqual(new Set(['/p/a /p/b', '/p/a /p/b /p/c']));
    expect(new Set(left.map((files) => files['/p/a']))).toEqual(new Set(['old\nsafe\n']));
    expect(new Set(left.map((files) => files['/p/c']))).toEqual(new Set([undefined, 'lost?\n']));
  });

  test('a power loss loses all, a part or nothing of what was not synced', () => {
    const text = 'x'.repeat(40);
    const left = leftBy((disk) => put(disk.start(), '/p/a', text, false)).map((files) => files['/p/a'] ?? '');
    expect(left).toContain('old\n');
    expect(left).toContain(`old\n${text}`);
    expect(left.filter((content) => /^old\nx+$/.test(content) && content.length < 44)).not.toEqual([]);
    expect(left.filter((content) => !content.startsWith('old\n'))).toEqual([]);
  });

  test('a rename that was not synced is done or not, never half', () => {
    const left = leftBy((disk) => {
      const process = disk.start();
      put(process, '/p/new', 'new\n', true);
      process.calls.syncFolder('/p');
      process.calls.rename('/p/new', '/p/a');
    });
    expect(new Set(left.map((files) => JSON.stringify(files)))).toEqual(
      new Set(['{"/p/a":"old\\n","/p/new":"new\\n"}', '{"/p/a":"new\\n"}']),
    );
  });

  test('a folder whose name was not synced may go with all that is in it', () => {
    const left = leftBy((disk) => {
      const process = disk.start();
      process.calls.makeFolder('/p/folder');
      put(process, '/p/folder/b', 'b\n', true);
      process.calls.syncFolder('/p/folder');
    });
    expect(new Set(left.map((files) => Object.keys(files).join(' ')))).toEqual(new Set(['/p/a', '/p/a /p/folder/b']));
  });

  test('a sync off the thread makes safe what was there when it began', async () => {
    const waiting: (() => void)[] = [];
    const disk = createSimulatedDisk([['/p/a', Buffer.from('')]]);
    const { calls } = disk.start({ later: (work) => waiting.push(work) });
    const descriptor = calls.open('/p/a', 'a');
    calls.write(descriptor, Buffer.from('1'));
    const syncing = calls.datasyncAside(descriptor);
    calls.write(descriptor, Buffer.from('2'));
    expect(disk.safeContent('/p/a')?.toString()).toBe('');
    for (const work of waiting) work();
    await syncing;
    expect(disk.safeContent('/p/a')?.toString()).toBe('1');
  });

  test('the process ends at the call that is chosen: before it, in its middle or after it', () => {
    const left = (['before', 'half', 'after'] as const).map((phase) => {
      const disk = createSimulatedDisk([['/p/a', Buffer.from('')]]);
      const process = disk.start({
        decide: ({ name }): Verdict => (name === 'write' ? { kind: 'crash', phase } : { kind: 'go' }),
      });
      expect(() => put(process, '/p/a', '1234', true)).toThrow('a process that has ended');
      expect([process.isAlive(), process.made()]).toEqual([false, 2]);
      return contents(disk)['/p/a'];
    });
    expect(left).toEqual(['', '12', '1234']);
  });

  test('a call that is made to fail does nothing, and a write can fall short', () => {
    const verdicts: Verdict[] = [{ kind: 'go' }, { kind: 'short' }, { kind: 'fail', code: 'ENOSPC' }];
    const disk = createSimulatedDisk([['/p/a', Buffer.from('')]]);
    const { calls } = disk.start({ decide: () => verdicts.shift() ?? { kind: 'go' } });
    const descriptor = calls.open('/p/a', 'a');
    expect(calls.write(descriptor, Buffer.from('1234'))).toBe(2);
    expect(() => calls.write(descriptor, Buffer.from('34'))).toThrow('ENOSPC');
    expect(contents(disk)).toEqual({ '/p/a': '12' });
  });
});
