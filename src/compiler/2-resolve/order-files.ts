import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { importPath } from '../1-parse/import-path.ts';
import { has, isObject, readList, readObject, readString } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { ParsedFile, ParsedManifest } from '../1-parse/parsed-manifest.ts';
import { isTemplateImport } from './template-source.ts';
import { createInstances } from './create-instances.ts';
import { depthFirst } from './depth-first.ts';

interface Import {
  readonly file: ParsedFile;
  readonly spot: Spot;
  readonly written: string;
}

type FilesByPath = ReadonlyMap<string, ParsedFile>;

/** Facts about imports that the caller supplies, because the compiler reads no files. */
export interface ImportOptions {
  /** The reasons why existing files can't be read, by path in the project. A message shows the reason after a colon. */
  readonly importProblems?: ReadonlyMap<string, string>;
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

interface ManifestTexts {
  readonly files: FilesByPath;
  readonly importProblems: ReadonlyMap<string, string>;
}

/** An entry of `imports`, as written: a path, or an object with a path, a name and arguments. */
interface Written {
  readonly path: string;
  readonly spot: Spot;
  /** Null if the import has no name of its own. */
  readonly as: string | null;
  readonly given: JsonObject | null;
}

function writtenImports(root: JsonObject): readonly Written[] {
  const container = readList(root, 'imports') ?? [];
  return container.flatMap((written, member): readonly Written[] => {
    if (typeof written === 'string') return [{ path: written, spot: { container, member }, as: null, given: null }];
    const path = isObject(written) ? readString(written, 'from') : null;
    if (path === null || !isObject(written)) return [];
    const spot = { container: written, member: 'from' };
    return [{ path, spot, as: readString(written, 'as'), given: readObject(written, 'with') }];
  });
}

/** Returns the file of an import. Returns null, with a report, if the file does not exist. */
function findFile(
  importer: ParsedFile,
  { path, spot }: Written,
  { files, importProblems }: ManifestTexts,
  diagnose: Diagnose,
): ParsedFile | null {
  const target = importPath(importer.path, path);
  if (!target.ok) {
    diagnose.report('RS2001', spot, { path, problem: target.problem });
    return null;
  }
  const file = files.get(target.path);
  const problem = importProblems.get(target.path);
  if (problem !== undefined) diagnose.report('RS2050', spot, { path, problem });
  else if (file === undefined)
    diagnose.report('RS2002', spot, { path, file: target.path }, { near: diagnose.nearest(target.path, files.keys()) });
  return file ?? null;
}

/** The settings that apply to a whole run. They are read only in the entry file. */
const RUN_SETTINGS: readonly string[] = [
  'max_steps',
  'max_run_steps',
  'max_depth',
  'max_parallel',
  'inputs',
  'worktree',
  'budgets',
  'retention',
];

function warnOfSettings(file: ParsedFile, diagnose: Diagnose): void {
  for (const key of RUN_SETTINGS) {
    if (has(file.root, key)) diagnose.report('RS4006', { container: file.root, member: key, side: 'key' }, { key });
  }
}

type Edges = Map<ParsedFile, readonly Import[]>;

function cycleReporter(imports: Edges, diagnose: Diagnose) {
  return (from: ParsedFile, to: ParsedFile, circle: readonly ParsedFile[]): void => {
    const edge = imports.get(from)?.find(({ file }) => file === to);
    if (edge === undefined) return;
    const back = imports.get(to)?.find(({ file }) => file === (circle[1] ?? from));
    const related = back === undefined || to === from ? [] : [diagnose.related(back.spot, 'The cycle starts here.')];
    const cycle = [...circle, to].map(({ path }) => path).join(' → ');
    diagnose.report('RS2003', edge.spot, { path: edge.written, cycle }, { related });
  };
}

/**
 * Returns the entry file and all files that it imports, directly or indirectly, importers first. Each file occurs once;
 * a file that is imported with arguments or under a name occurs once for each such import. Files that nothing imports
 * are left out. Returns null if an import is missing, or if arguments are missing or wrong.
 */
export function orderFiles(
  parsed: ParsedManifest,
  diagnose: Diagnose,
  { importProblems = NO_PROBLEMS }: ImportOptions = {},
): readonly ParsedFile[] | null {
  const known: ManifestTexts = { files: new Map(parsed.files.map((file) => [file.path, file])), importProblems };
  const imports: Edges = new Map();
  const instances = createInstances(diagnose);
  const entry = instances.entry(parsed.files[0]);
  if (entry === null) return null;
  const next = (importer: ParsedFile): readonly ParsedFile[] => {
    const found = writtenImports(importer.root).flatMap((written): readonly Import[] => {
      const base = findFile(importer, written, known, diagnose);
      const file = base === null ? null : instances.of(importer, base, written);
      return file === null ? [] : [{ file, spot: written.spot, written: written.path }];
    });
    imports.set(importer, found);
    return found.map((edge) => edge.file);
  };
  const { preorder } = depthFirst([entry], next, cycleReporter(imports, diagnose));
  // The settings of a ready-made workflow are for users who copy it. An importer can't remove them, so they are not
  // reported.
  for (const file of preorder.slice(1)) if (!isTemplateImport(file.path)) warnOfSettings(file, diagnose);
  const isWhole = (file: ParsedFile): boolean => imports.get(file)?.length === writtenImports(file.root).length;
  return preorder.every(isWhole) ? preorder : null;
}
