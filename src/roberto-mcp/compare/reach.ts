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
  /** Names of the symbol behind a qualifier, such as `area` in `shapes.area`. */
  readonly members: ReadonlySet<string>;
  /** True if the file imports the symbol's file, is the symbol's file, or belongs to the same package. */
  readonly imported: boolean;
  /** True if the symbol's name comes from a wildcard import. */
  readonly byAllNames: boolean;
}

const SHARED_FOLDER = new Set(['go', 'java', 'kotlin']);
const MODULE_IMPORTS = new Set(['python', 'rust']);
const MAX_HOPS = 4;

/**
 * Returns the names under which a file re-exports a symbol of another file. `exposed` are the symbol's names in its own
 * file. The name `a.b` stands for the export `b` of a module that the file re-exports as `a`.
 */
function handedOn(
  path: string,
  exposed: readonly string[],
  file: string,
  branch: Branch,
  hops = 0,
): ReadonlySet<string> {
  const version = branch.files.get(path) ?? branch.imported.get(path);
  const names = new Set<string>();
  if (version === undefined || hops >= MAX_HOPS) return names;
  /** Names of this file's scope that are imported from the symbol's file. */
  const locals = new Map<string, string>();
  for (const entry of version.extraction.imports) {
    const isPython = version.language === 'python';
    for (const target of branch.resolver.resolve(version.language, path, entry)) {
      const known =
        target === file
          ? new Set(exposed)
          : target === path
            ? new Set<string>()
            : handedOn(target, exposed, file, branch, hops + 1);
      for (const { name, alias } of entry.names) {
        const given = provided(name, alias, known);
        if (entry.reexport || isPython) for (const one of given) names.add(one);
        else for (const one of given) locals.set(one.replace(/\..*$/u, ''), one);
      }
    }
  }
  for (const { name, local, from } of version.extraction.exports) {
    const one = from === null ? locals.get(local) : undefined;
    if (one !== undefined) names.add(name + one.slice(local.length));
  }
  return names;
}

/** Returns the names that importing or re-exporting `name` as `alias` gives to the known exports of a module. */
function provided(name: string, alias: string, known: ReadonlySet<string>): readonly string[] {
  if (name !== '*')
    return [...known].flatMap((one) =>
      one === name || one.startsWith(`${name}.`) ? alias + one.slice(name.length) : [],
    );
  return alias === '*' ? [...known].filter((one) => one !== 'default') : [...known].map((one) => `${alias}.${one}`);
}

interface Gathered {
  readonly direct: Set<string>;
  readonly namespaces: Set<string>;
  readonly members: Set<string>;
  imported: boolean;
  byAllNames: boolean;
}

/** Adds the names that one import provides. `exposed` are the names of the symbol in the imported file. */
function takeImport(
  { language }: FileVersion,
  names: readonly { readonly name: string; readonly alias: string }[],
  exposed: ReadonlySet<string>,
  gathered: Gathered,
): void {
  const take = (one: string): void => {
    const dot = one.lastIndexOf('.');
    if (dot < 0) gathered.direct.add(one);
    else {
      gathered.namespaces.add(one.slice(0, dot));
      gathered.members.add(one.slice(dot + 1));
    }
  };
  for (const { name, alias } of names) {
    if (name === '*' && (alias === '*' || alias === '.')) {
      for (const one of exposed) gathered.direct.add(one);
      gathered.byAllNames = true;
      continue;
    }
    const given = provided(name, alias, exposed);
    for (const one of given) take(one);
    // The default import of a CommonJS module is its exported object, whose properties are the exports.
    if (name === 'default') for (const one of provided('*', alias, exposed)) take(one);
    else if (given.length === 0 && MODULE_IMPORTS.has(language)) gathered.namespaces.add(alias);
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
    members: new Set([top]),
    imported: isOwn,
    byAllNames: false,
  };
  for (const entry of version.extraction.imports) {
    for (const target of branch.resolver.resolve(version.language, version.path, entry)) {
      const exposed =
        target === change.file ? new Set(change.exposedAs) : handedOn(target, change.exposedAs, change.file, branch);
      if (exposed.size === 0) continue;
      gathered.imported = true;
      if (entry.names.length === 0 && (version.language === 'c' || version.language === 'cpp'))
        gathered.direct.add(top);
      takeImport(version, entry.names, exposed, gathered);
    }
  }
  return gathered;
}
