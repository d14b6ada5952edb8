import type { ImportEntry } from '../parse/extraction.ts';
import type { LikelyClash } from './likely-clash.ts';
import type { FileVersion } from './read-version.ts';
import type { Side } from './read-side.ts';

/** Returns the Rust paths on the added lines. Such a path can refer to another file without an import. */
const pathsOnRows = ({ language, lines }: FileVersion, rows: ReadonlySet<number>): readonly ImportEntry[] =>
  language !== 'rust'
    ? []
    : [...rows].flatMap((row) =>
        [...(lines[row] ?? '').replace(/\/\/.*$/u, '').matchAll(/\b(?:crate|self|super)(?:::\w+)+/gu)].map(
          ([module]) => ({
            module,
            names: [],
            row,
            reexport: false,
          }),
        ),
      );

/** Returns the imports on the lines that a branch added. */
function addedImports(version: FileVersion, { addedRows }: Side): readonly ImportEntry[] {
  const rows = addedRows.get(version.path) ?? new Set<number>();
  const imports = version.extraction.imports.filter(({ row }) => rows.has(row));
  const known = new Set(imports.map(({ row }) => row));
  return [...imports, ...pathsOnRows(version, rows).filter(({ row }) => !known.has(row))];
}

/** Returns a clash for each import that one branch added of a file that the other branch moved or removed. */
export function movedFiles(changer: Side, user: Side): readonly LikelyClash[] {
  const gone = changer.changes.filter(
    ({ status, from }) => (status === 'renamed' || status === 'removed') && !changer.paths.has(from),
  );
  // True if the module name still resolves to a file: a module can move to another file and keep its name.
  const isFoundAgain = ({ language, path }: FileVersion, entry: ImportEntry): boolean =>
    changer.resolver.resolve(language, path, entry).some((target) => !user.paths.has(target));
  return gone.flatMap(({ from, to, status }) =>
    [...user.files.values()].flatMap((version) =>
      addedImports(version, user)
        .filter((entry) => user.resolver.resolve(version.language, version.path, entry).includes(from))
        .filter((entry) => !isFoundAgain(version, entry))
        .filter(() => version.language !== 'go' || !staysInPackage(changer, from))
        .map((entry): LikelyClash => ({
          kind: 'moved_file',
          name: from,
          why: status === 'renamed' ? `the file was renamed to ${to}` : 'the file was removed',
          change: {
            branch: changer.name,
            file: status === 'renamed' ? to : from,
            line: 1,
            text: status === 'renamed' ? `${from} -> ${to}` : from,
          },
          use: {
            branch: user.name,
            file: version.path,
            line: entry.row + 1,
            text: (version.lines[entry.row] ?? '').trim(),
          },
        })),
    ),
  );
}

/** True if the folder of a removed Go file still has other files of the package. */
const staysInPackage = ({ paths }: Side, file: string): boolean => {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  return [...paths].some(
    (path) => path.startsWith(folder) && path.endsWith('.go') && !path.slice(folder.length).includes('/'),
  );
};
