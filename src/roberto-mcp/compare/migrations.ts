import { baseName, folderOf } from '../resolve/project-files.ts';
import type { LikelyClash } from './likely-clash.ts';
import type { Side } from './read-side.ts';

const MIGRATION = /^V?0*(\d+)(?:__|[_-])/u;
const MIGRATION_FOLDER = /(?:^|\/)(?:migrations?|migrate|db\/changes)(?:\/|$)/u;

/** Returns the pairs of database migrations that the two branches added with the same number. */
export function migrations(ours: Side, theirs: Side): readonly LikelyClash[] {
  const added = ({ changes }: Side): readonly { readonly key: string; readonly path: string }[] =>
    changes.flatMap(({ status, to }) => {
      const number = MIGRATION.exec(baseName(to))?.[1];
      return status === 'added' && number !== undefined && MIGRATION_FOLDER.test(folderOf(to))
        ? [{ key: `${folderOf(to)}\0${number}`, path: to }]
        : [];
    });
  const others = added(theirs);
  return added(ours).flatMap(({ key, path }) =>
    others
      .filter((other) => other.key === key && other.path !== path)
      .map(({ path: other }) => ({
        kind: 'migration' as const,
        name: baseName(path),
        why: 'two migrations have the same number',
        change: { branch: 'ours' as const, file: path, line: 1, text: baseName(path) },
        use: { branch: 'theirs' as const, file: other, line: 1, text: baseName(other) },
      })),
  );
}
