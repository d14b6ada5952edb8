import { realPath } from '#io/files/real-path.ts';
import { newProbeCache, probeMerges } from '#io/git/plumbing/merge-probe.ts';
import { installedState, linkInstalled, withFilesOf, writeSourceList } from '#io/git/readonly/check-out-tree.ts';
import { hashesOf } from '#io/git/readonly/hashes-of.ts';
import type { ReadOnlyRepository } from '#io/git/readonly/open-repository.ts';
import { mergeInScratchIndex } from '#io/git/readonly/scratch-merge.ts';
import { processes } from '#io/process/process.ts';
import type { Check } from './find-checks.ts';
import { type Checked, linesOf, newFindings } from './findings.ts';
import type { ProofStore } from './proof-store.ts';

/** What a checker said about the merged files of a pair. */
export interface ProofResult {
  readonly checker: string;
  readonly outcome: 'passed' | 'failed_together' | 'proves_nothing' | 'not_run';
  /** New findings with their positions, or the reason why nothing is proved. */
  readonly findings: readonly string[];
  readonly covers: (file: string) => boolean;
}

interface ProvedPair {
  readonly base: string;
  readonly one: string;
  readonly other: string;
  readonly names: readonly [string, string];
}

export interface ProofParts {
  readonly repository: ReadOnlyRepository;
  /** The worktree whose installed packages the checkers use. */
  readonly main: string;
  readonly store: ProofStore;
  /** Aborted when the time limit is reached. */
  readonly signal: AbortSignal;
}

/** The time limit of one check in milliseconds. */
const CHECK_MS = 300_000;

/** The number of characters kept of a checker's output, which may list all files of a project. */
const OUTPUT_LIMIT = 20_000_000;

const NONE: Checked = { isClean: true, lines: [] };

type Ran = { readonly checked: Checked } | { readonly why: string };

async function execute(check: Check, files: string, signal: AbortSignal): Promise<Ran> {
  const cwd = check.folder === '' ? files : `${files}/${check.folder}`;
  const list = check.sources === null ? [] : [`@${await writeSourceList(cwd, check.sources)}`];
  const [program, ...args] = check.argv;
  const request = {
    argv: [program, ...args, ...list] as const,
    cwd,
    env: check.env,
    timeoutMs: CHECK_MS,
    outputLimit: OUTPUT_LIMIT,
  };
  const { ended, exitCode, output, error } = await processes.run(request, signal);
  if (ended === 'not_started') return { why: `${check.name} did not start: ${error ?? 'unknown reason'}` };
  if (ended !== 'exited') return { why: `${check.name} did not end in time` };
  const lines = linesOf(output, [cwd, await realPath(cwd)]);
  const prefix = check.folder === '' ? '' : `${check.folder}/`;
  const kept = lines
    .filter((line) => line !== '')
    .map((line) => (newFindings({ isClean: false, lines: [line] }, [NONE]).length > 0 ? prefix + line : line));
  return { checked: { isClean: exitCode === 0, lines: kept.slice(-5_000) } };
}

/** Runs a check on the files of a tree, or returns the stored result of the same check on the same tree. */
async function runCheck(check: Check, tree: string, { repository, main, store, signal }: ProofParts): Promise<Ran> {
  const key = [check.name, check.folder, tree, await installedState(main, check.needs)].join('\0');
  const known = store.get(key);
  if (known !== null) return { checked: known };
  if (signal.aborted) return { why: 'the time limit was reached' };
  const ran = await withFilesOf(repository, tree, async (files) => {
    await linkInstalled(main, files, check.needs);
    return execute(check, files, signal);
  });
  if ('kind' in ran) return { why: ran.message.split('\n')[0] ?? ran.why };
  if ('checked' in ran) {
    const { isClean, lines } = ran.checked;
    store.put(key, { isClean, lines: check.isOwn ? lines.slice(-20) : newFindings({ isClean, lines }, [NONE]) });
  }
  return 'why' in ran && signal.aborted ? { why: 'the time limit was reached' } : ran;
}

async function mergedTree({ repository }: ProofParts, { base, one, other }: ProvedPair): Promise<string | null> {
  const pair = { ours: one, theirs: other };
  const merged =
    repository.merges === 'scratch'
      ? await mergeInScratchIndex(repository, pair, base)
      : await probeMerges(repository.git, repository.folder, [pair], newProbeCache());
  const verdict = 'kind' in merged ? merged : merged[0];
  return verdict?.kind === 'clean' ? verdict.tree : null;
}

/** Returns whether a side has failures of its own, which its base does not have. */
const failsAlone = (side: Checked, base: Checked): boolean =>
  !side.isClean && (base.isClean || newFindings(side, [base]).length > 0);

/** Runs a check on the merged files and, if it fails, on each side and on their base. */
export async function prove(check: Check, pair: ProvedPair, parts: ProofParts): Promise<ProofResult> {
  const { covers, name: checker } = check;
  const result = (outcome: ProofResult['outcome'], findings: readonly string[]): ProofResult => ({
    checker,
    outcome,
    findings,
    covers,
  });
  const tree = await mergedTree(parts, pair);
  if (tree === null) return result('not_run', ['git could not merge them']);
  const together = await runCheck(check, tree, parts);
  if ('why' in together) return result('not_run', [together.why]);
  if (together.checked.isClean) return result('passed', []);
  const apart: Checked[] = [];
  const trees = [pair.one, pair.other, pair.base].map((commit) => `${commit}^{tree}`);
  const hashes = await hashesOf(parts.repository, trees);
  for (const name of trees) {
    const alone = await runCheck(check, hashes.get(name) ?? name, parts);
    if ('why' in alone) return result('not_run', [alone.why]);
    apart.push(alone.checked);
  }
  const [one = NONE, other = NONE, base = NONE] = apart;
  for (const [side, name] of [
    [one, pair.names[0]],
    [other, pair.names[1]],
  ] as const)
    if (failsAlone(side, base)) return result('proves_nothing', [`${checker} fails on ${name} alone`]);
  if (check.isOwn)
    return base.isClean && one.isClean && other.isClean
      ? result('failed_together', together.checked.lines.slice(-5))
      : result('proves_nothing', [`${checker} fails without either of them`]);
  const found = newFindings(together.checked, [one, other]);
  return found.length > 0
    ? result('failed_together', found)
    : result('proves_nothing', [`${checker} fails without either of them`]);
}
