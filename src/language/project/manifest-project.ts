import { compile, type CompileOptions } from '#compiler/index.ts';
import type { ManifestSource } from '#protocol/compiled.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import { collectOccurrences, type Occurrence } from '../names/collect-occurrences.ts';
import { nameTable, type NameTable } from '../names/name-table.ts';
import { createDocument, type ManifestDocument } from '../text/document.ts';

/** Information about a project that its manifest does not contain. */
export interface ProjectFacts extends CompileOptions {
  /** Paths of the project's files, offered as completions for globs. */
  readonly files?: readonly string[];
}

/** A manifest with all its imports, with the texts as they are in the editor (saved or not). */
export interface ManifestProject {
  readonly documents: readonly ManifestDocument[];
  readonly facts: ProjectFacts;
  document(file: string): ManifestDocument | null;
  /** The symbol table, built on first access. */
  readonly names: NameTable;
  /** The compiler's diagnostics, computed on first access. */
  readonly diagnostics: readonly Diagnostic[];
}

interface Read {
  readonly document: ManifestDocument;
  occurrences: readonly Occurrence[] | null;
}

const normalise = (path: string): string => path.replace(/^(?:\.\/+)+/, '');

/** Returns a function that builds projects from texts. It parses only files whose text changed since its last call. */
export function createProjects(): (sources: readonly ManifestSource[], facts: ProjectFacts) => ManifestProject {
  let kept: ReadonlyMap<string, Read> = new Map();
  const read = ({ path, text }: ManifestSource): Read => {
    const known = kept.get(path);
    return known?.document.text === text ? known : { document: createDocument({ path, text }), occurrences: null };
  };
  return (sources, facts) => {
    const reads = sources.map((source) => read({ path: normalise(source.path), text: source.text }));
    const byFile = new Map(reads.map((one) => [one.document.path, one]));
    kept = byFile;
    let names: NameTable | null = null;
    let diagnostics: readonly Diagnostic[] | null = null;
    const documents = reads.map(({ document }) => document);
    const collect = (): NameTable =>
      nameTable(
        documents,
        new Map(reads.map((one) => [one.document.path, (one.occurrences ??= collectOccurrences(one.document))])),
      );
    return {
      documents,
      facts,
      document: (file) => byFile.get(file)?.document ?? null,
      get names() {
        return (names ??= collect());
      },
      get diagnostics() {
        return (diagnostics ??= compile(sources, facts).diagnostics);
      },
    };
  };
}

/** Returns the same project with additional facts for completions, without parsing or compiling it again. */
export const withFacts = (project: ManifestProject, facts: ProjectFacts): ManifestProject => ({
  documents: project.documents,
  facts,
  document: project.document,
  get names() {
    return project.names;
  },
  get diagnostics() {
    return project.diagnostics;
  },
});
