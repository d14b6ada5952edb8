import type { Count } from '#protocol/count.ts';
import { zeroSplit } from '../plumbing/quiet-git.ts';

/** One file that differs between two states of a directory. */
export interface ChangedPath {
  /** Relative to the top of the repository, with `/`. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The old path of a renamed file. */
  readonly from: string | null;
}

/** Added and deleted lines; null for a binary file. */
interface LineCounts {
  readonly added: Count | null;
  readonly deleted: Count | null;
}

export type CountedPath = ChangedPath & LineCounts;

const KIND: Readonly<Record<string, ChangedPath['change']>> = {
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'added',
};

/** Parses `git diff --numstat -z`: a renamed file has two more parts. */
export function parseCounts(text: string): ReadonlyMap<string, LineCounts> {
  const parts = text.split('\0');
  const counts = new Map<string, LineCounts>();
  for (let at = 0; at < parts.length; at += 1) {
    const [added, deleted, name] = splitCount(parts[at] ?? '');
    if (added === undefined || deleted === undefined || name === undefined) continue;
    const path = name === '' ? (parts[at + 2] ?? '') : name;
    if (name === '') at += 2;
    const number = (count: string): number | null => (count === '-' ? null : Number(count));
    counts.set(path, { added: number(added), deleted: number(deleted) });
  }
  return counts;
}

/** Splits `<added> TAB <deleted> TAB <name>`. The name itself may contain tabs. */
const splitCount = (part: string): readonly (string | undefined)[] =>
  /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(part)?.slice(1) ?? [];

/** Parses `git diff --name-status -z`. A file in conflict, which git lists twice, is returned once. */
export function parseNames(text: string): readonly ChangedPath[] {
  const parts = zeroSplit(text);
  const files = new Map<string, ChangedPath>();
  for (let at = 0; at < parts.length; at += 1) {
    const letter = (parts[at] ?? '').charAt(0);
    const renamed = letter === 'R' || letter === 'C';
    const from = parts[at + 1] ?? '';
    const path = renamed ? (parts[at + 2] ?? '') : from;
    at += renamed ? 2 : 1;
    files.set(path, { path, change: KIND[letter] ?? 'modified', from: letter === 'R' ? from : null });
  }
  return [...files.values()];
}
