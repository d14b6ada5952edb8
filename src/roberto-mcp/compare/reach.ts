import { folderOf } from '../resolve/project-files.ts';
import type { Resolver } from '../resolve/resolver.ts';
import type { FileVersion } from './read-version.ts';
import type { SymbolChange } from './symbol-change.ts';

/** The branch whose added lines are searched for uses of a changed symbol. */
export interface Branch {
  readonly files: ReadonlyMap<string, FileVersion>;
  /** Unchanged files that changed files import. They may re-export symbols of other files. */
  readonly imported: ReadonlyMap<string, FileVersion>;
  readonly addedRows: ReadonlyMap<string, ReadonlySet<number>>;
  readonly resolver: Resolver;
}

/** The ways in which one file can refer to a symbol of another file. */
export interface Reach {
  /** Names in this file that refer to the symbol itself, such as an import alias. */
  readonly direct: ReadonlySet<string>;
  /** Names that qualify the symbol, such as `shapes` in `shapes.area`. */
  readonly namespaces: ReadonlySet<string>;
  /** True if the file imports the symbol's file, is the symbol's file, or belongs to the same package. */
  readonly imported: boolean;
  /** True if the symbol's name comes from a wildcard import. */
  readonly byAllNames: boolean;
}

const SHARED_FOLDER = new Set(['go', 'java', 'kotlin']);
const MODULE_IMPORTS = new Set(['python', 'rust']);
const MAX_HOPS = 4;

/** Returns the names under which a file re-exports a symbol of another file. */
function handedOn(path: string, top: string, file: string, branch: Branch, hops = 0): ReadonlySet<string> {
  const version = branch.files.get(path) ?? branch.imported.get(path);
  const names = new Set<string>();
  if (version === undefined || hops >= MAX_HOPS) return names;
  for (const entry of version.extraction.imports) {
    if (!entry.reexport && version.language !== 'python') continue;
    for (const target of branch.resolver.resolve(version.language, path, entry)) {
      const known =
        target === file
          ? new Set([top])
          : target === path
            ? new Set<string>()
            : handedOn(target, top, file, branch, hops + 1);
      for (const { name, alias } of entry.names)
        if (known.has(name)) names.add(alias);
        else if (name === '*' && alias === '*') for (const one of known) names.add(one);
    }
  }
  return names;
}

interface Gathered {
  readonly direct: Set<string>;
  readonly namespaces: Set<string>;
  imported: boolean;
  byAllNames: boolean;
}

/** Adds the names that one import provides. `exposed` are the names of the symbol in the imported file. */
function takeImport(
  { language }: FileVersion,
  names: readonly { readonly name: string; readonly alias: string }[],
  exposed: ReadonlySet<string>,
  isDefault: boolean,
  gathered: Gathered,
): void {
  for (const { name, alias } of names) {
    if (name === '*' && (alias === '*' || alias === '.')) {
      for (const one of exposed) gathered.direct.add(one);
      gathered.byAllNames = true;
    } else if (name === '*') gathered.namespaces.add(alias);
    else if (exposed.has(name)) gathered.direct.add(alias);
    else if (name === 'default') {
      if (isDefault) gathered.direct.add(alias);
    } else if (MODULE_IMPORTS.has(language)) gathered.namespaces.add(alias);
  }
}

/** Determines how a file can refer to a changed symbol. */
export function reachOf(version: FileVersion, change: SymbolChange, branch: Branch): Reach {
  const top = change.container ?? change.name;
  const sharesFolder = SHARED_FOLDER.has(version.language) && folderOf(version.path) === folderOf(change.file);
  const isOwn = version.path === change.file || sharesFolder;
  const gathered: Gathered = {
    direct: new Set(isOwn ? [top] : []),
    namespaces: new Set(),
    imported: isOwn,
    byAllNames: false,
  };
  for (const entry of version.extraction.imports) {
    for (const target of branch.resolver.resolve(version.language, version.path, entry)) {
      const isSource = target === change.file;
      const exposed = isSource ? new Set([top]) : handedOn(target, top, change.file, branch);
      if (exposed.size === 0) continue;
      gathered.imported = true;
      if (entry.names.length === 0 && (version.language === 'c' || version.language === 'cpp'))
        gathered.direct.add(top);
      takeImport(version, entry.names, exposed, isSource && change.isDefaultExport, gathered);
    }
  }
  return gathered;
}
