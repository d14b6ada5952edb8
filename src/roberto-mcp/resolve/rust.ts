import {
  ancestors,
  baseName,
  folderOf,
  inside,
  type ProjectFiles,
  remember,
  type ResolveImport,
} from './project-files.ts';

interface Crate {
  readonly folder: string;
  readonly root: string;
}

const ROOTS = ['src/lib.rs', 'src/main.rs', 'lib.rs', 'main.rs'];

function crateIn(files: ProjectFiles, folder: string): Crate | null {
  const manifest = files.read(inside(folder, 'Cargo.toml'));
  if (manifest === null) return null;
  const path = /^\[lib\][^[]*?^path\s*=\s*"([^"]+)"/msu.exec(manifest)?.[1];
  const root = [...(path === undefined ? [] : [path]), ...ROOTS].map((one) => inside(folder, one)).find(files.has);
  return root === undefined ? null : { folder, root };
}

function cratesByName(files: ProjectFiles): ReadonlyMap<string, Crate> {
  const crates = new Map<string, Crate>();
  for (const path of files.named('Cargo.toml')) {
    const name = /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/msu.exec(files.read(path) ?? '')?.[1];
    const crate = crateIn(files, folderOf(path));
    if (name !== undefined && crate !== null) crates.set(name.replaceAll('-', '_'), crate);
  }
  return crates;
}

const OWN_FOLDER = new Set(['mod.rs', 'lib.rs', 'main.rs']);

/** Returns the folder that contains the submodules of a module's file. */
function moduleFolder(file: string, crateRoot: string | null): string {
  if (OWN_FOLDER.has(baseName(file)) || file === crateRoot) return folderOf(file);
  return file.replace(/\.rs$/u, '');
}

function childModule(files: ProjectFiles, file: string, name: string, crateRoot: string | null): string | null {
  const folder = moduleFolder(file, crateRoot);
  for (const path of [inside(folder, `${name}.rs`), inside(folder, `${name}/mod.rs`)]) if (files.has(path)) return path;
  return null;
}

/** Returns the file of the parent module, or null. */
function parentModule(files: ProjectFiles, file: string): string | null {
  const folder = baseName(file) === 'mod.rs' ? folderOf(folderOf(file)) : folderOf(file);
  const candidates = [`${folder}.rs`, inside(folder, 'mod.rs'), inside(folder, 'lib.rs'), inside(folder, 'main.rs')];
  return candidates.find((path) => path !== file && files.has(path)) ?? null;
}

/** Resolves Rust `use` and `mod` to the file of the innermost module that the path names. */
export function resolveRust(files: ProjectFiles): ResolveImport {
  const crates = cratesByName(files);
  const crateOf = remember((folder: string): Crate | null => {
    for (const at of ancestors(folder)) {
      const crate = crateIn(files, at);
      if (crate !== null) return crate;
    }
    return null;
  });
  const descend = (start: string, path: readonly string[], crateRoot: string | null): string => {
    let file = start;
    for (const part of path) {
      const child = childModule(files, file, part, crateRoot);
      if (child === null) break;
      file = child;
    }
    return file;
  };
  return (from, module) => {
    const crate = crateOf(folderOf(from));
    const root = crate?.root ?? null;
    const declared = /^mod (\w+)$/u.exec(module)?.[1];
    if (declared !== undefined) {
      const child = childModule(files, from, declared, root);
      return child === null ? [] : [child];
    }
    const [first = '', ...rest] = module.split('::');
    const found = ((): string | null => {
      if (first === 'crate') return root === null ? null : descend(root, rest, root);
      if (first === 'self') return descend(from, rest, root);
      if (first === 'super') {
        let start = parentModule(files, from);
        let at = 0;
        for (; rest[at] === 'super' && start !== null; at += 1) start = parentModule(files, start);
        return start === null ? null : descend(start, rest.slice(at), root);
      }
      const other = crates.get(first);
      if (other !== undefined) return descend(other.root, rest, other.root);
      return childModule(files, from, first, root) === null ? null : descend(from, [first, ...rest], root);
    })();
    return found === null || found === from ? [] : [found];
  };
}
