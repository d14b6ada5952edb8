import { matchesGlob, posix } from 'node:path';
import { compile, type CompileOptions, importsOf } from '#compiler/index.ts';
import { loadSchemas } from '#engine/manifest/load-schemas.ts';
import type { ManifestSource } from '#protocol/compiled.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** The compiler's input for a case: the manifest with its imports, and the facts about its project. */
export interface CaseProject {
  readonly sources: readonly ManifestSource[];
  readonly options: CompileOptions;
}

type Files = Parameters<typeof loadSchemas>[1];

/** Returns the files of a case through the same interface as those of a real project. */
const filesOf = (one: ConformanceCase): Files => {
  const entry = one.text ?? JSON.stringify(one.manifest);
  const texts = new Map([['workflows.json', entry], ...Object.entries(one.files ?? {})]);
  const read: Files['read'] = (path) => {
    const text = texts.get(path);
    return Promise.resolve(text === undefined ? { missing: true } : { source: { path, text } });
  };
  const isThere = (pattern: string): boolean => [...texts.keys()].some((path) => matchesGlob(path, pattern));
  return {
    project: '.',
    entry: 'workflows.json',
    read,
    readBeside: (beside, name) => read(posix.join(posix.dirname(beside), name)),
    unmatched: (patterns) => Promise.resolve(new Set([...patterns].filter((pattern) => !isThere(pattern)))),
  };
};

const readSources = async (files: Files): Promise<readonly ManifestSource[]> => {
  const sources = new Map<string, ManifestSource>();
  const paths = new Set([files.entry]);
  for (const path of paths) {
    const read = await files.read(path);
    if (!('source' in read)) continue;
    sources.set(path, read.source);
    for (const imported of importsOf(read.source)) paths.add(imported);
  }
  return [...sources.values()];
};

export const projectOf = async (one: ConformanceCase): Promise<CaseProject> => {
  const files = filesOf(one);
  const sources = await readSources(files);
  const unreadable = new Map(Object.entries(one.unreadable ?? {}));
  const problems = { importProblems: unreadable, answerProblems: unreadable };
  const options = { ...(await loadSchemas(sources, files)), ...problems, notInForce: new Set(one.not_in_force) };
  if (!sources.some(({ text }) => text.includes('"artifact"'))) return { sources, options };
  const blocks = compile(sources, options).workflow?.graph.nodes.flatMap((node) => node.blocks) ?? [];
  const unmatchedArtifacts = await files.unmatched(blocks.flatMap(({ artifact }) => artifact));
  return { sources, options: { ...options, unmatchedArtifacts } };
};
