import { addedTwice } from './added-twice.ts';
import { addedUses } from './added-uses.ts';
import type { LikelyClash } from './likely-clash.ts';
import { migrations } from './migrations.ts';
import { movedFiles } from './moved-files.ts';
import { readSide, type Side } from './read-side.ts';
import { replacedTexts } from './replaced-texts.ts';

export type { ClashKind, ClashSide, LikelyClash } from './likely-clash.ts';

function brokenUses(changer: Side, user: Side): readonly LikelyClash[] {
  return changer.symbols.flatMap((change) =>
    addedUses(change, user).map((use) => ({
      kind: change.kind,
      name: change.container === null ? change.name : `${change.container}.${change.name}`,
      why: change.why,
      change: { branch: changer.name, file: change.changedFile, line: change.changedLine, text: change.changedText },
      use: { branch: user.name, ...use },
    })),
  );
}

/**
 * Drops clashes that a moved file already explains: moving a file also removes its symbols from the old path, and only
 * the move is reported.
 */
function dropExplained(clashes: readonly LikelyClash[]): readonly LikelyClash[] {
  const moved = new Set(
    clashes.filter(({ kind }) => kind === 'moved_file').map(({ name, use }) => `${name}\0${use.file}`),
  );
  return clashes.filter(
    ({ kind, change, use }) =>
      kind === 'moved_file' || !(kind === 'removed' && moved.has(`${change.file}\0${use.file}`)),
  );
}

export interface Comparison {
  readonly clashes: readonly LikelyClash[];
  /** The changed source files of either branch that were not compared. */
  readonly leftOut: readonly string[];
}

/** Finds likely semantic clashes between two branches that were read with the same base. */
export async function clashesBetween(root: string, a: Side, b: Side): Promise<Comparison> {
  const texts = [...(await replacedTexts(root, a, b)), ...(await replacedTexts(root, b, a))];
  const clashes = dropExplained([
    ...brokenUses(a, b),
    ...brokenUses(b, a),
    ...movedFiles(a, b),
    ...movedFiles(b, a),
    ...addedTwice(a, b),
    ...migrations(a, b),
    ...texts,
  ]);
  return { clashes, leftOut: [...new Set([...a.leftOut, ...b.leftOut])] };
}

/**
 * Finds likely semantic clashes between two commits with a common base. Equal names alone are not enough: the other
 * branch must have added a line that refers to the changed symbol.
 */
export async function findClashes(root: string, base: string, ours: string, theirs: string): Promise<Comparison> {
  const [a, b] = [await readSide(root, base, ours, 'ours'), await readSide(root, base, theirs, 'theirs')];
  return clashesBetween(root, a, b);
}
