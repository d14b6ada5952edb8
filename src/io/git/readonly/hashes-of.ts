import type { ReadOnlyRepository } from './open-repository.ts';

/** Returns the full hashes of revisions such as `<commit>^{tree}`, with one process; null for those that do not exist. */
export async function hashesOf({ git, folder }: ReadOnlyRepository, revisions: readonly string[]) {
  const all = [...new Set(revisions)];
  if (all.length === 0) return new Map<string, string | null>();
  const input = all.map((one) => `${one}\n`).join('');
  const { out } = await git(folder, ['cat-file', '--batch-check=%(objectname)'], { input });
  const lines = out.split('\n');
  return new Map(
    all.map((one, index) => [one, /^[0-9a-f]{40,64}$/.test(lines[index] ?? '') ? (lines[index] ?? '') : null]),
  );
}
