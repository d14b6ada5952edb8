import { afterEach, beforeEach, expect, test } from 'vitest';
import { sessionFiles } from '#engine/views/changed-files.ts';
import { newRepository, type Repository } from '../../../support/git-repository.ts';

let at: Repository;
let worktree: string;

const CODE = `export class Store {
  read(): number {
    return 1;
  }

  write(value: number): void {
    this.value = value;
  }
}

export function open(): Store {
  return new Store();
}
`;

beforeEach(async () => {
  at = await newRepository();
  at.put('src/store.ts', CODE);
  at.put('src/gone.ts', 'export function gone(): void {\n  stop();\n}\n');
  at.put('notes.md', 'one\n');
  at.commit('Code');
  worktree = at.linkedWorktree('tree', 'robosmith/work');
});
afterEach(() => at.end());

const filesOf = (tree: string | null) =>
  sessionFiles(
    {
      state: 'ready',
      worktree: tree,
      branch: 'robosmith/work',
      baseBranch: 'main',
      base: { commit: at.git(['rev-parse', 'main']), branch: 'main' },
    },
    at.root,
  );

test('the changed symbols of each file are named: committed, not committed, new and deleted ones', async () => {
  at.put('src/store.ts', CODE.replace('return 1', 'return 2'), worktree);
  at.commit('Read', worktree);
  at.put('src/store.ts', CODE.replace('return 1', 'return 2').replace('new Store()', 'made()'), worktree);
  at.put('src/new file.ts', 'export const fresh = (): number => 1;\n', worktree);
  at.put('notes.md', 'two\n', worktree);
  at.git(['rm', '--quiet', 'src/gone.ts'], worktree);
  const found = await filesOf(worktree);
  expect(found.map(({ path, change, symbols }) => [path, change, symbols])).toEqual([
    ['notes.md', 'modified', []],
    ['src/gone.ts', 'deleted', ['gone']],
    ['src/new file.ts', 'added', ['fresh']],
    ['src/store.ts', 'modified', ['Store.read', 'open']],
  ]);
});

test('a branch without a worktree names the symbols of its commits', async () => {
  at.put('src/store.ts', CODE.replace('= value', '= value + 1'), worktree);
  at.commit('Write', worktree);
  const found = await filesOf(null);
  expect(found.map(({ path, symbols }) => [path, symbols])).toEqual([['src/store.ts', ['Store.write']]]);
});
