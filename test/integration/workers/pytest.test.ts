import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newFolder, removeFolder, runIn, withWorker } from '../../support/in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

const PYTHON = ['python3', '-m', 'pytest', '-p', 'no:cacheprovider'] as const;

/** A command whose exit code is that of `cat`. */
const PIPED = ['sh', '-c', `${PYTHON.join(' ')} -q --tb=no | cat`];
const isThere = spawnSync(PYTHON[0], [...PYTHON.slice(1), '--version']).status === 0;

describe.skipIf(!isThere)('real tests of pytest', () => {
  test.each([
    ['by itself', PYTHON],
    ['in a pipe', PIPED],
  ])('%s', async (_what, command) => {
    await writeFile(
      path.join(folder, 'test_sum.py'),
      'def test_adds():\n    assert 1 + 1 == 2\n\n\ndef test_fails():\n    assert 1 + 1 == 3\n',
    );
    const manifest = withWorker('Internal:TestRunner', { commands: { test: command } });
    const { path: entries, data } = await runIn(folder, manifest);
    const [segment, ...failures] = data.payload;
    expect(entries[0]?.signal).toBe('SIGNAL:FAILURE');
    expect(segment?.meta).toMatchObject({ report: { format: 'pytest', tests: { passed: 1, failed: 1, skipped: 0 } } });
    expect(failures.map(({ type, meta }) => [type, meta['file'], meta['line']])).toEqual([
      ['TEST_FAILURE', 'test_sum.py', 6],
    ]);
  });
});
