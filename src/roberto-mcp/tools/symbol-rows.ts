import type { DefinitionPlace, StoredDefinition } from '../store/blob-reader.ts';
import type { ToolContext } from './tool.ts';

/** A definition as tools return it. Lines and columns count from 1. */
export interface SymbolRow {
  readonly kind: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly signature: string;
  readonly exported: boolean;
  readonly container?: string;
  readonly doc?: string;
  readonly approximate?: true;
}

const RECEIVER = /^func\s*\(\s*\w*\s*\*?\s*(\w+)/u;

/** Returns the name of the definition or Go receiver type that encloses a definition, or null. */
export function containerOf({ worktree }: ToolContext, { blob, parent, signature }: StoredDefinition): string | null {
  const outer = parent < 0 ? null : worktree.reader().definition(blob, parent);
  return outer?.name ?? RECEIVER.exec(signature)?.[1] ?? null;
}

export function symbolRow(context: ToolContext, file: string, definition: StoredDefinition): SymbolRow {
  const container = containerOf(context, definition);
  return {
    kind: definition.kind,
    name: definition.name,
    file,
    line: definition.row + 1,
    column: definition.column + 1,
    end_line: definition.endRow + 1,
    signature: definition.signature,
    exported: definition.exported,
    ...(container === null ? {} : { container }),
    ...(definition.doc === '' ? {} : { doc: definition.doc }),
    ...(definition.approximate ? { approximate: true as const } : {}),
  };
}

/** Compares by path, and within a file by order in the text. */
const inOrder = (
  a: { readonly file: string; readonly definition: { readonly ordinal: number } },
  b: typeof a,
): number => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.definition.ordinal - b.definition.ordinal);

/** A place where a name is defined, in a file of this worktree. */
export interface LivePlace {
  readonly file: string;
  readonly definition: DefinitionPlace;
}

/** Returns where a name is defined in this worktree, ordered by path. It costs less than the whole definitions. */
export function livePlaces({ worktree }: ToolContext, name: string): readonly LivePlace[] {
  const { files, reader } = worktree;
  return reader()
    .placesNamed(name)
    .flatMap((definition) => files.pathsOf(definition.blob).map((file) => ({ file, definition })))
    .sort(inOrder);
}

/** Returns the definitions of a name in this worktree, ordered by path. */
export function liveDefinitions(
  context: ToolContext,
  name: string,
): readonly { readonly file: string; readonly definition: StoredDefinition }[] {
  const { files, reader } = context.worktree;
  return reader()
    .definitionsNamed(name)
    .flatMap((definition) => files.pathsOf(definition.blob).map((file) => ({ file, definition })))
    .sort(inOrder);
}
