import type { LanguageName } from '../parse/languages.ts';
import type { Worktree } from '../index/worktree.ts';
import type { BlobFacts } from '../store/blob-reader.ts';
import { indexPaths } from '../resolve/index-paths.ts';
import { folderOf, type ProjectFiles } from '../resolve/project-files.ts';
import { createResolver, isResolutionConfig, type Resolver } from '../resolve/resolver.ts';
import { createSourceLines } from './source-lines.ts';

/** The reason why one file depends on another. */
type EdgeReason = 'import' | 'symbol';

export interface FileEdge {
  readonly to: string;
  readonly reason: EdgeReason;
  /** The imported module as written, or the name of the symbol used. */
  readonly what: string;
  readonly line: number | null;
}

interface ResolvedImport {
  readonly module: string;
  readonly line: number;
  readonly names: readonly string[];
  readonly files: readonly string[];
}

/** The dependency graph of a worktree's files in their current state. */
interface FileGraph {
  readonly imports: (path: string) => readonly ResolvedImport[];
  readonly edges: (path: string) => readonly FileEdge[];
  /** Returns the files that depend on a file. The first call is slow, because it resolves the imports of all files. */
  readonly dependents: (path: string) => readonly FileEdge[];
  readonly facts: (path: string) => BlobFacts | null;
}

export interface GraphCache {
  readonly current: () => FileGraph;
}

/** Languages in which files can use each other's symbols without naming a file in an import. */
const SYMBOL_LANGUAGES = new Set(['c', 'cpp', 'csharp', 'go', 'java', 'kotlin', 'php', 'ruby']);
/** Languages in which files of one folder use each other without an import. */
const FOLDER_LANGUAGES = new Set(['go', 'java', 'kotlin']);
const MIN_NAME = 4;
/**
 * Maximum number of files that may define a name. A name with more definitions is ambiguous and yields no dependency.
 */
const MAX_DEFINING = 2;
const FAMILY: Readonly<Record<string, string>> = { cpp: 'c', kotlin: 'java' };

const familyOf = (language: string): string => FAMILY[language] ?? language;

interface DefiningFiles {
  readonly pathsOf: (nameId: number) => readonly string[];
}

function definingFiles(worktree: Worktree, facts: (path: string) => BlobFacts | null): DefiningFiles {
  const byName = new Map<number, readonly string[]>();
  const reader = worktree.reader();
  const names = new Map(reader.definedNames().map(({ id, name }) => [id, name]));
  return {
    pathsOf: (id) => {
      const known = byName.get(id);
      if (known !== undefined) return known;
      const name = names.get(id);
      const paths =
        name === undefined || name.length < MIN_NAME
          ? []
          : reader.blobsDefining(id).flatMap((blob) => worktree.files.pathsOf(blob));
      const kept = paths.length > MAX_DEFINING * 3 ? [] : paths.filter((path) => facts(path) !== null);
      byName.set(id, kept);
      return kept;
    },
  };
}

function symbolEdges(
  worktree: Worktree,
  path: string,
  facts: (path: string) => BlobFacts | null,
  defining: () => DefiningFiles,
): readonly FileEdge[] {
  const blob = worktree.files.get(path)?.blob ?? null;
  const language = facts(path)?.language ?? '';
  if (blob === null || !SYMBOL_LANGUAGES.has(language)) return [];
  const folder = folderOf(path);
  const reached = new Set<string>();
  const edges: FileEdge[] = [];
  for (const id of worktree.reader().namesIn(blob)) {
    const candidates = defining()
      .pathsOf(id)
      .filter((other) => familyOf(facts(other)?.language ?? '') === familyOf(language))
      .filter((other) => !FOLDER_LANGUAGES.has(language) || folderOf(other) === folder);
    if (candidates.length === 0 || candidates.length > MAX_DEFINING || candidates.includes(path)) continue;
    for (const to of candidates) {
      if (reached.has(to)) continue;
      reached.add(to);
      edges.push({ to, reason: 'symbol', what: '', line: null });
    }
  }
  return edges;
}

function reverse(paths: Iterable<string>, edges: (path: string) => readonly FileEdge[]): Map<string, FileEdge[]> {
  const dependents = new Map<string, FileEdge[]>();
  for (const from of paths)
    for (const { to, reason, what, line } of edges(from)) {
      const list = dependents.get(to) ?? [];
      list.push({ to: from, reason, what, line });
      dependents.set(to, list);
    }
  return dependents;
}

/** Creates the dependency graph for one version of the file set. Its caches are valid for that version only. */
function createGraph(worktree: Worktree, resolver: Resolver, cachedFacts: Map<number, BlobFacts | null>): FileGraph {
  const resolved = new Map<string, readonly ResolvedImport[]>();
  const outgoing = new Map<string, readonly FileEdge[]>();
  let incoming: Map<string, FileEdge[]> | null = null;
  let defining: DefiningFiles | null = null;
  const facts = (path: string): BlobFacts | null => {
    const blob = worktree.files.get(path)?.blob ?? null;
    if (blob === null) return null;
    const known = cachedFacts.get(blob);
    if (known !== undefined) return known;
    const read = worktree.reader().facts(blob);
    cachedFacts.set(blob, read);
    return read;
  };
  const imports = (path: string): readonly ResolvedImport[] => {
    const known = resolved.get(path);
    if (known !== undefined) return known;
    const read = facts(path);
    const made = (read?.imports ?? []).map((entry) => ({
      module: entry.module,
      line: entry.row + 1,
      names: entry.names.map(({ name }) => name),
      files: resolver.resolve(languageName(read?.language), path, entry).filter((to) => to !== path),
    }));
    resolved.set(path, made);
    return made;
  };
  const edges = (path: string): readonly FileEdge[] => {
    const known = outgoing.get(path);
    if (known !== undefined) return known;
    const imported = new Map<string, FileEdge>();
    for (const { module, line, files } of imports(path))
      for (const to of files) if (!imported.has(to)) imported.set(to, { to, reason: 'import', what: module, line });
    const symbols = symbolEdges(worktree, path, facts, () => (defining ??= definingFiles(worktree, facts)));
    const made = [...imported.values(), ...symbols.filter(({ to }) => !imported.has(to))];
    outgoing.set(path, made);
    return made;
  };
  return {
    facts,
    imports,
    edges,
    dependents: (path) => (incoming ??= reverse(worktree.files.paths(), edges)).get(path) ?? [],
  };
}

const languageName = (language: string | undefined): LanguageName => (language ?? 'text') as LanguageName;

/** Maximum number of cached blob facts that are kept across versions of the file set. */
const MAX_FACTS = 100_000;

/**
 * Creates a cache that rebuilds the graph after a file changes, and the import resolver after paths or configuration
 * files change.
 */
export function createGraphCache(worktree: Worktree): GraphCache {
  const facts = new Map<number, BlobFacts | null>();
  let graph: { readonly version: number; readonly made: FileGraph } | null = null;
  let resolver: { readonly key: string; readonly made: Resolver } | null = null;
  const projectFiles = (): ProjectFiles =>
    indexPaths(worktree.files.paths(), (path) => createSourceLines(worktree.root).of(path).join('\n'));
  const configurations = (): string =>
    [...worktree.files.entries()]
      .filter(({ path }) => isResolutionConfig(path))
      .map(({ path, blob }) => `${path} ${blob ?? ''}`)
      .join('\n');
  return {
    current: () => {
      const version = worktree.files.version();
      if (graph?.version === version) return graph.made;
      if (facts.size > MAX_FACTS) facts.clear();
      const key = `${worktree.files.pathsVersion()}\n${configurations()}`;
      if (resolver?.key !== key) resolver = { key, made: createResolver(projectFiles()) };
      graph = { version, made: createGraph(worktree, resolver.made, facts) };
      return graph.made;
    },
  };
}
