import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../clock/identity.ts';
import { writeTree } from '../plumbing/all-files.ts';
import { type ConflictHunk, hunksIn } from '../plumbing/conflict-hunks.ts';
import type { MergePair, MergeVerdict } from '../plumbing/merge-probe.ts';
import { lineOf, zeroSplit } from '../plumbing/quiet-git.ts';
import { whyFailed } from '../plumbing/refusal.ts';
import type { ReadOnlyRepository } from './open-repository.ts';
import { withVariables } from './read-only-git.ts';

/** The blobs of a file in the index of a merge, by stage: 1 base, 2 ours, 3 theirs. */
type Stages = Readonly<Partial<Record<'1' | '2' | '3', string>>>;

function unmergedFiles(text: string): ReadonlyMap<string, Stages> {
  const files = new Map<string, Stages>();
  for (const entry of zeroSplit(text)) {
    const [, blob = '', stage = '', name = ''] = /^\d+ ([0-9a-f]+) ([123])\t(.*)$/s.exec(entry) ?? [];
    files.set(name, { ...files.get(name), [stage]: blob });
  }
  return files;
}

/** Merges the versions of one file. Returns the blob of the result, or the text with conflict markers. */
async function mergeFile(
  { git, common, objects }: ReadOnlyRepository,
  stages: Stages,
): Promise<{ readonly blob: string } | { readonly text: string }> {
  const place = path.join(objects.folder, `file-${newId(6)}`);
  await mkdir(place);
  const own = withVariables(git, { GIT_DIR: common });
  const empty = path.join(place, 'empty');
  await writeFile(empty, '');
  const fileOf = async (blob: string | undefined): Promise<string> =>
    blob === undefined ? empty : path.join(place, lineOf(await own(place, ['unpack-file', blob])));
  const [ours, base, theirs] = [await fileOf(stages[2]), await fileOf(stages[1]), await fileOf(stages[3])];
  const merged = await own(place, ['merge-file', ours, base, theirs]);
  if (!merged.ok) return { text: await readFile(ours, 'utf8') };
  return { blob: lineOf(await own(place, ['hash-object', '-w', '--no-filters', ours])) };
}

/**
 * Merges two commits for a git without `merge-tree --write-tree` (before 2.38): in a scratch index, without renames and
 * with one merge base only.
 */
export async function mergeInScratchIndex(
  repository: ReadOnlyRepository,
  { ours, theirs }: MergePair,
  base: string,
): Promise<MergeVerdict> {
  const { git, folder, objects } = repository;
  const own = withVariables(git, { GIT_INDEX_FILE: path.join(objects.folder, `merge-${newId(6)}`) });
  const read = await own(folder, ['read-tree', '-i', '-m', '--aggressive', base, ours, theirs]);
  if (!read.ok) return whyFailed(read, 'git could not compare them');
  const hunks: ConflictHunk[] = [];
  const conflicts: string[] = [];
  for (const [name, stages] of unmergedFiles((await own(folder, ['ls-files', '-u', '-z'])).out)) {
    const isText = stages[2] !== undefined && stages[3] !== undefined;
    const merged = isText ? await mergeFile(repository, stages) : { text: '' };
    if ('blob' in merged) {
      const input = `0 ${'0'.repeat(merged.blob.length)}\t${name}\x00100644 ${merged.blob}\t${name}\0`;
      await own(folder, ['update-index', '-z', '--index-info'], { input });
    } else {
      conflicts.push(name);
      hunks.push(...hunksIn(name, merged.text));
    }
  }
  if (conflicts.length > 0) return { kind: 'conflict', files: conflicts.sort(), messages: [], hunks };
  const tree = await writeTree((args, more) => own(folder, args, more));
  return typeof tree === 'string' ? { kind: 'clean', tree } : tree;
}
