import picomatch from 'picomatch';
import { COSTLY, whyCostly } from '#protocol/costly-glob.ts';
import type { Access } from '#protocol/graph.ts';
import { configurationIn, namesAll } from './configuration-names.ts';

/** Ours and git's own files; whoever writes them decides what runs next. The last is what Windows calls `.git` for short. */
const KEPT: ReadonlySet<string> = new Set(['.git', '.flow', '.vision', 'git~1']);

/** Longer ones are no file's, and a glob would take its time with them. */
const LONGEST = 1_000;

/** As the most tolerant file system compares names: some ignore case and invisible characters. */
const fold = (name: string): string => name.replace(/\p{Default_Ignorable_Code_Point}/gu, '').toLowerCase();

/** What a write that is under way has beside its files. */
const isScaffold = (name: string): boolean => name.startsWith('.robosmith-');

const keptIn = (file: string): string | null =>
  file.split('/').find((part) => KEPT.has(fold(part)) || isScaffold(fold(part))) ?? null;

const TO_ALLOW =
  'add "artifact" to it, or "access": { "mode": "partial", "paths": ["src/**"] }, or "access": { "mode": "shared" }';

const TO_PLAN = 'plan what it may write, with Internal:UpdateChangePlan or `robosmith sessions change --plan`';

/** People, and models, read the first few. */
const MOST_LISTED = 20;

function listed(paths: readonly string[]): string {
  const more = paths.length - MOST_LISTED;
  return `${paths.slice(0, MOST_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** All that a block may write, as people write it. */
export const writablePaths = ({ paths, plan }: Access): readonly string[] => [...paths, ...(plan?.written ?? [])];

const outside = (access: Access): string =>
  access.plan === undefined
    ? `it is not among the block's "access" paths: ${listed(access.paths)}`
    : `it is not in the change plan of the session (${listed(writablePaths(access))}): ${TO_PLAN}`;

/** Patterns that match nothing since they could take very long; '' when there is none. */
function costlyAmong(globs: readonly string[]): string {
  const first = globs.find((glob) => whyCostly(glob) !== null);
  return first === undefined ? '' : `; "${first.slice(0, 100)}" is not used, ${COSTLY}: ${whyCostly(first) ?? ''}`;
}

/** Why a block may write no file at all, and what to do about it; null: it may write some. */
export function whyNothing({ mode, paths, plan }: Access): string | null {
  if (mode === 'strict') return 'its "access" has the mode "strict"';
  if (mode === 'shared' || paths.length > 0 || (plan?.written.length ?? 0) > 0) return null;
  if (plan !== undefined) return `the change plan of its session is empty: ${TO_PLAN}, or ${TO_ALLOW}`;
  return TO_ALLOW;
}

/** Rejects files that configure other programs, unless a path of the block's `access` names them literally. */
function configurationCheck({ paths }: Access, options: picomatch.PicomatchOptions) {
  const named = paths.map((glob) => ({ glob, matches: picomatch(glob, options) }));
  return (path: string, real: string): string | null => {
    for (const file of [path, real]) {
      const parts = configurationIn(file, fold);
      if (parts.length === 0) continue;
      if (named.some(({ glob, matches }) => namesAll(glob, parts, fold) && matches(real))) continue;
      return `"${parts[0] ?? file}" configures other programs: it is written only where the block's "access" paths name it, e.g. ${JSON.stringify(file)}`;
    }
    return null;
  };
}

/** Tells why a file may not be written by a block, or null (spec/workers.md "Who may write where"). */
export function accessCheck(access: Access, ignoresCase: boolean) {
  const { mode, paths, plan } = access;
  // Without a first "!": it would open everything else.
  const options = { dot: true, nonegate: true, nocase: ignoresCase };
  const globs = [...paths, ...(plan?.globs ?? [])];
  const usable = globs.filter((glob) => whyCostly(glob) === null);
  const isListed = mode === 'partial' ? picomatch(usable, options) : () => mode === 'shared';
  const whyOutside = outside(access) + costlyAmong(globs);
  const configuration = configurationCheck(access, options);
  /** `path` as it was asked for, `real` where its links lead. */
  return (path: string, real: string): string | null => {
    if (path.length > LONGEST || real.length > LONGEST) return `it is longer than ${LONGEST} characters`;
    const kept = keptIn(path) ?? keptIn(real);
    if (kept !== null) return `"${kept}" is never written by a worker`;
    return configuration(path, real) ?? (isListed(real) ? null : whyOutside);
  };
}
