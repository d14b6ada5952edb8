import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngine } from '#engine/open/open-engine.ts';
import { folderPicture } from '../../../support/folder-picture.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'robosmith-elsewhere-'));
});
afterEach(() => rmSync(base, { recursive: true }));

const at = (...names: readonly string[]): string => path.join(base, ...names);

/** Opens the engine and prunes everything that pruning may remove. */
function openAndPrune(): void {
  const opened = openEngine(at('project'), { warn: (message) => expect.unreachable(message) });
  if (!opened.ok) throw new Error('somebody else has the engine');
  opened.engine.prune({ keep: 0 });
  opened.engine.close();
}

test.each(['.flow', '.flow/put-back', '.flow/backups', '.flow/runs/r1'])(
  'what a project brings as %s, a link to a folder of the user, is neither written to nor pruned',
  (place) => {
    mkdirSync(at('mine/put-back/letters'), { recursive: true });
    writeFileSync(at('mine/put-back/letters/a.txt'), 'mine');
    for (const name of ['mine/put-back', 'mine/put-back/letters']) utimesSync(at(name), 1, 1);
    mkdirSync(path.dirname(at('project', place)), { recursive: true });
    symlinkSync(at('mine'), at('project', place), 'junction');
    const before = folderPicture(at('mine'));
    expect(openAndPrune).toThrow(
      expect.objectContaining({
        code: 'unsafe_path',
        message: expect.stringContaining(`${at('project', place)} is a link`) as string,
      }) as Error,
    );
    expect(folderPicture(at('mine'))).toEqual(before);
  },
);

test('a link within the project is one of its own', () => {
  mkdirSync(at('project/state'), { recursive: true });
  symlinkSync('state', at('project/.flow'), 'junction');
  expect(openAndPrune).not.toThrow();
});
