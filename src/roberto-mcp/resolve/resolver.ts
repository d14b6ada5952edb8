import type { ImportEntry } from '../parse/extraction.ts';
import type { LanguageName } from '../parse/languages.ts';
import { resolveInclude, resolveLua, resolvePhp, resolveRelative, resolveRuby } from './by-path.ts';
import { resolveEcma } from './ecma.ts';
import { resolveGo } from './go.ts';
import { resolveJava } from './java.ts';
import type { ProjectFiles, ResolveImport } from './project-files.ts';
import { resolvePython } from './python.ts';
import { resolveRust } from './rust.ts';

/** Resolves imports to files of one worktree. */
export interface Resolver {
  readonly resolve: (language: LanguageName, from: string, entry: ImportEntry) => readonly string[];
}

const none: ResolveImport = () => [];

/** Creates a resolver. Configuration files of a language are read when its first import is resolved. */
export function createResolver(files: ProjectFiles): Resolver {
  const makers: Partial<Readonly<Record<LanguageName, () => ResolveImport>>> = {
    typescript: () => resolveEcma(files),
    python: () => resolvePython(files),
    go: () => resolveGo(files),
    rust: () => resolveRust(files),
    java: () => resolveJava(files, ['java', 'kt']),
    c: () => resolveInclude(files),
    ruby: () => resolveRuby(files),
    php: () => resolvePhp(files),
    lua: () => resolveLua(files),
    bash: () => resolveRelative(files, ['.sh']),
    css: () => resolveRelative(files, ['.css', '.scss']),
  };
  const sameAs: Partial<Readonly<Record<LanguageName, LanguageName>>> = {
    tsx: 'typescript',
    javascript: 'typescript',
    svelte: 'typescript',
    vue: 'typescript',
    html: 'typescript',
    kotlin: 'java',
    cpp: 'c',
  };
  const made = new Map<LanguageName, ResolveImport>();
  const resolverOf = (language: LanguageName): ResolveImport => {
    const family = sameAs[language] ?? language;
    const known = made.get(family);
    if (known !== undefined) return known;
    const resolve = makers[family]?.() ?? none;
    made.set(family, resolve);
    return resolve;
  };
  return {
    resolve: (language, from, { module, names }) =>
      resolverOf(language)(
        from,
        module,
        names.map(({ name }) => name),
      ),
  };
}

/**
 * Returns true if a change of this file can change how imports resolve. Any JSON file counts, because a `tsconfig.json`
 * may extend it.
 */
export const isResolutionConfig = (path: string): boolean => /(?:\.json|\/?go\.mod|Cargo\.toml)$/u.test(path);
