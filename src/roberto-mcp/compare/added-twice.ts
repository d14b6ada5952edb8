import type { Definition, SymbolKind } from '../parse/extraction.ts';
import { folderOf } from '../resolve/project-files.ts';
import type { LikelyClash } from './likely-clash.ts';
import { type FileVersion, fullName } from './read-version.ts';
import type { Side } from './read-side.ts';

interface AddedSymbol {
  /** The scope in which the name must be unique: a file or package, and for a method its type. */
  readonly scope: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const PACKAGE_SCOPE = new Set(['go', 'java', 'kotlin']);
const DEFINING: ReadonlySet<SymbolKind> = new Set<SymbolKind>([
  'class',
  'constant',
  'enum',
  'function',
  'interface',
  'macro',
  'method',
  'struct',
  'trait',
  'type',
  'variable',
]);
const MAY_REPEAT = new Set(['main', 'init', '_']);
const HOLDS_METHODS: ReadonlySet<SymbolKind> = new Set<SymbolKind>(['class', 'impl', 'interface', 'struct', 'trait']);

/** Returns the scope in which a symbol's name must be unique, or null if the name may occur more than once. */
function scopeOf(version: FileVersion, definition: Definition): string | null {
  const { path, language, extraction } = version;
  const place = PACKAGE_SCOPE.has(language) ? `${folderOf(path)}/` : path;
  const outer = extraction.definitions[definition.parent];
  if (outer === undefined) return `${place}\0${fullName(version, definition)}`;
  // The scope includes the Rust trait, because a type may implement a method of the same name once for each trait.
  const holder = outer.kind === 'impl' ? outer.signature.replace(/\s+/gu, ' ') : outer.name;
  return definition.kind === 'method' && HOLDS_METHODS.has(outer.kind)
    ? `${place}\0${holder}.${definition.name}`
    : null;
}

const addedSymbols = ({ files, addedRows }: Side): readonly AddedSymbol[] =>
  [...files.values()].flatMap((version) =>
    version.extraction.definitions.flatMap((definition): readonly AddedSymbol[] => {
      const { row, kind, name } = definition;
      if (!DEFINING.has(kind) || MAY_REPEAT.has(name) || addedRows.get(version.path)?.has(row) !== true) return [];
      const scope = scopeOf(version, definition);
      const text = (version.lines[row] ?? '').trim();
      return scope === null ? [] : [{ scope, name, file: version.path, line: row + 1, text }];
    }),
  );

/** Returns the symbols that both branches added with the same name in a scope where names must be unique. */
export function addedTwice(ours: Side, theirs: Side): readonly LikelyClash[] {
  const others = new Map(addedSymbols(theirs).map((one) => [one.scope, one]));
  return addedSymbols(ours).flatMap(({ scope, name, file, line, text }) => {
    const other = others.get(scope);
    if (other === undefined || (other.file === file && other.line === line && other.text === text)) return [];
    return [
      {
        kind: 'duplicate' as const,
        name,
        why: 'both branches define it',
        change: { branch: 'ours' as const, file, line, text },
        use: { branch: 'theirs' as const, file: other.file, line: other.line, text: other.text },
      },
    ];
  });
}
