import type { StoredDefinition } from '../store/blob-reader.ts';
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
export function containerOf(definition: StoredDefinition, outline: readonly StoredDefinition[]): string | null {
  return outline[definition.parent]?.name ?? RECEIVER.exec(definition.signature)?.[1] ?? null;
}

export function symbolRow(file: string, definition: StoredDefinition, outline: readonly StoredDefinition[]): SymbolRow {
  const container = containerOf(definition, outline);
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

/** Returns a function that reads the outline of a blob and caches it for one answer. */
export function outlines(context: ToolContext): (blob: number) => readonly StoredDefinition[] {
  const reader = context.worktree.reader();
  const known = new Map<number, readonly StoredDefinition[]>();
  return (blob) => {
    const found = known.get(blob) ?? reader.outline(blob);
    known.set(blob, found);
    return found;
  };
}

/** Returns the innermost definition that contains a row, or null. */
export function enclosing(outline: readonly StoredDefinition[], row: number): StoredDefinition | null {
  let best: StoredDefinition | null = null;
  for (const one of outline) {
    if (one.startRow > row) break;
    if (one.endRow >= row && (best === null || one.endRow - one.startRow <= best.endRow - best.startRow)) best = one;
  }
  return best;
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
    .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.definition.ordinal - b.definition.ordinal));
}
