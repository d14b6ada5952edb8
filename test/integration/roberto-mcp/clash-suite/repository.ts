import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Tree } from './tree.ts';

/** A repository whose commits are made from trees and patches, all with one base commit. */
export interface SuiteRepository {
  readonly root: string;
  readonly base: string;
  readonly commitTree: (tree: Tree) => string;
  readonly commitPatch: (patch: readonly string[]) => string;
  readonly patchOf: (commit: string) => readonly string[];
  readonly treeOf: (commit: string) => string;
  /** Returns the merged tree, or null if git reports a conflict. */
  readonly merge: (ours: string, theirs: string) => string | null;
  /** Writes the files of a commit or tree to a new folder. */
  readonly checkOut: (commit: string) => string;
  readonly remove: () => void;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 't',
  GIT_AUTHOR_EMAIL: 't@example.com',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 't',
  GIT_COMMITTER_EMAIL: 't@example.com',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

const put = (folder: string, path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

export function makeRepository(base: Tree): SuiteRepository {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'robosmith-clashes-')));
  const root = join(folder, 'project');
  mkdirSync(root);
  const git = (args: readonly string[], input?: string): string =>
    execFileSync('git', [...args], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, ...IDENTITY },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    });
  const commitIndex = (...parents: readonly string[]): string =>
    git(['commit-tree', git(['write-tree']).trim(), '-m', 'step', ...parents.flatMap((one) => ['-p', one])]).trim();
  git(['init', '--quiet', '--initial-branch=main']);
  for (const [path, text] of base) put(root, path, text);
  git(['add', '--all']);
  const first = commitIndex();
  git(['update-ref', 'refs/heads/main', first]);
  let serial = 0;
  return {
    root,
    base: first,
    commitTree: (tree) => {
      git(['read-tree', first]);
      for (const path of base.keys()) if (!tree.has(path)) git(['update-index', '--force-remove', path]);
      for (const [path, text] of tree) {
        if (base.get(path) === text) continue;
        const blob = git(['hash-object', '-w', '--stdin'], text).trim();
        git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
      }
      return commitIndex(first);
    },
    commitPatch: (patch) => {
      git(['read-tree', first]);
      git(['apply', '--cached', '--whitespace=nowarn', '-'], patch.join('\n'));
      return commitIndex(first);
    },
    patchOf: (commit) => git(['diff', '--find-renames', '--unified=1', '--no-color', first, commit]).split('\n'),
    treeOf: (commit) => git(['rev-parse', `${commit}^{tree}`]).trim(),
    merge: (ours, theirs) => {
      try {
        return git(['merge-tree', '--write-tree', ours, theirs]).trim();
      } catch {
        return null;
      }
    },
    checkOut: (commit) => {
      const target = join(folder, `files-${(serial += 1)}`);
      mkdirSync(target);
      const archive = join(folder, 'files.tar');
      git(['archive', '--format=tar', `--output=${archive}`, commit]);
      execFileSync('tar', ['-xf', archive, '-C', target]);
      return target;
    },
    remove: () => {
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
