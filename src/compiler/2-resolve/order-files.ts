import type { Diagnose } from '../1-parse/diagnose.ts';
import { importPath } from '../1-parse/import-path.ts';
import { has, readList, strings } from '../1-parse/json-reader.ts';
import type { ParsedFile, ParsedManifest } from '../1-parse/parsed-manifest.ts';
import { isTemplateImport } from '../template-source.ts';
import { depthFirst } from './depth-first.ts';

interface Import {
  readonly file: ParsedFile;
  readonly list: object;
  readonly index: number;
  readonly written: string;
}

type FilesByPath = ReadonlyMap<string, ParsedFile>;

/** Facts about imports that the caller supplies, because the compiler reads no files. */
export interface ImportOptions {
  /** The reasons why existing files can't be read, by path in the project. A message shows the reason after a colon. */
  readonly importProblems?: ReadonlyMap<string, string>;
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

interface Known {
  readonly files: FilesByPath;
  readonly importProblems: ReadonlyMap<string, string>;
}

function readImport(
  importer: ParsedFile,
  list: object,
  index: number,
  written: string,
  { files, importProblems }: Known,
  diagnose: Diagnose,
): Import | null {
  const spot = { container: list, member: index };
  const target = importPath(importer.path, written);
  if (!target.ok) {
    diagnose.report('RS2001', spot, { path: written, problem: target.problem });
    return null;
  }
  const file = files.get(target.path);
  const problem = importProblems.get(target.path);
  if (problem !== undefined) diagnose.report('RS2050', spot, { path: written, problem });
  else if (file === undefined)
    diagnose.report(
      'RS2002',
      spot,
      { path: written, file: target.path },
      { near: diagnose.nearest(target.path, files.keys()) },
    );
  return file === undefined ? null : { file, list, index, written };
}

function readImports(importer: ParsedFile, known: Known, diagnose: Diagnose): readonly Import[] {
  const list = readList(importer.root, 'imports') ?? [];
  return list.flatMap((written, index) => {
    const found = typeof written === 'string' ? readImport(importer, list, index, written, known, diagnose) : null;
    return found === null ? [] : [found];
  });
}

/** The settings of a whole run, which are read in the entry file only. */
const RUN_SETTINGS: readonly string[] = [
  'max_steps',
  'max_run_steps',
  'max_depth',
  'max_parallel',
  'inputs',
  'worktree',
  'budgets',
];

function warnOfSettings(file: ParsedFile, diagnose: Diagnose): void {
  for (const key of RUN_SETTINGS) {
    if (has(file.root, key)) diagnose.report('RS4006', { container: file.root, member: key, side: 'key' }, { key });
  }
}

/**
 * Returns the entry file and everything that it imports, each file once, importers first. Files that nothing imports
 * are left out. Returns null if an import is missing.
 */
export function orderFiles(
  parsed: ParsedManifest,
  diagnose: Diagnose,
  { importProblems = NO_PROBLEMS }: ImportOptions = {},
): readonly ParsedFile[] | null {
  const files: FilesByPath = new Map(parsed.files.map((file) => [file.path, file]));
  const imports = new Map<ParsedFile, readonly Import[]>();
  const next = (file: ParsedFile): readonly ParsedFile[] => {
    const found = readImports(file, { files, importProblems }, diagnose);
    imports.set(file, found);
    return found.map((edge) => edge.file);
  };
  const reportCycle = (from: ParsedFile, to: ParsedFile, circle: readonly ParsedFile[]): void => {
    const edge = imports.get(from)?.find(({ file }) => file === to);
    if (edge === undefined) return;
    const back = imports.get(to)?.find(({ file }) => file === (circle[1] ?? from));
    const related =
      back === undefined || to === from
        ? []
        : [diagnose.related({ container: back.list, member: back.index }, 'The cycle starts here.')];
    const cycle = [...circle, to].map(({ path }) => path).join(' → ');
    diagnose.report('RS2003', { container: edge.list, member: edge.index }, { path: edge.written, cycle }, { related });
  };
  const { preorder } = depthFirst([parsed.files[0]], next, reportCycle);
  // The settings of a ready-made workflow are for users who copy it. An importer can't remove them, so they are not
  // reported.
  for (const file of preorder.slice(1)) if (!isTemplateImport(file.path)) warnOfSettings(file, diagnose);
  const isWhole = (file: ParsedFile): boolean =>
    imports.get(file)?.length === strings(readList(file.root, 'imports')).length;
  return preorder.every(isWhole) ? preorder : null;
}
