import path from 'node:path';
import { realPath } from '#io/files/real-path.ts';
import { bootstrapWorktree } from '#io/git/worktrees/bootstrap-worktree.ts';
import { sessionEnvironment } from '#io/git/worktrees/run-commands.ts';
import { scratchesFolder, withScratch } from '#io/git/outcomes/temporary-worktree.ts';
import { lineOf, quietly } from '#io/git/plumbing/quiet-git.ts';
import { atOnce } from '#io/files/serialise.ts';
import { type Checker, findChecker } from '#io/project/checkers.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import type { Graph } from '#protocol/graph.ts';
import type { FoundClash } from '#protocol/semantic-clash.ts';
import type { Session } from '#protocol/session.ts';
import { approvedList } from '../../trust/check-trust.ts';
import { verifyingGraph } from '../../trust/list-verifying-commands.ts';
import type { Executable } from '../../trust/executable.ts';
import { repositoryOf } from '../outcomes/merge-work.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { type Checked, hasLookedAt, linesOf, NOTHING_FOUND, reportsMore } from '#clash/index.ts';

interface ProofRequest {
  readonly session: Session;
  readonly ours: string;
  readonly theirs: string;
  readonly clashes: readonly FoundClash[];
}

type JudgedClash = FoundClash & { readonly standing: 'likely' | 'proved' };

/** The time limit of one check in milliseconds, longer than any type check takes. */
const CHECK_MS = 600_000;

/**
 * The time limit of all checks of two commits in milliseconds. A clash that is not proved by then keeps the verdict
 * `likely`.
 */
const PROOF_MS = 1_200_000;

/** The number of characters kept of a checker's output, which may list all files of a project. */
const OUTPUT_LIMIT = 20_000_000;

/** The kinds of clashes that a compiler can report as errors. */
const SEEN_BY_COMPILERS: ReadonlySet<string> = new Set([
  'renamed',
  'removed',
  'unexported',
  'signature',
  'type',
  'moved_file',
]);

/** A check of the merged files, and the clashes that it can judge. */
interface Check extends Omit<Checker, 'name' | 'runsCode'> {
  readonly name: Checker['name'] | 'check';
  /** True for the manifest's own command, which judges every clash and runs after the set-up of a worktree. */
  readonly isOwn: boolean;
  readonly clashes: readonly FoundClash[];
}

const ownCheck = (argv: Check['argv'], clashes: readonly FoundClash[]): Check => ({
  name: 'check',
  argv,
  folder: '',
  env: {},
  needs: [],
  listsFiles: false,
  sources: null,
  isOwn: true,
  clashes,
});

/**
 * Groups clashes by the checker that the project has for the file of the use. A checker that runs code of the project
 * counts only if the user has trusted a command of the manifest that starts the same program.
 */
async function guessedChecks(
  clashes: readonly FoundClash[],
  main: string,
  trusted: readonly Executable[],
): Promise<readonly Check[]> {
  const isTrusted = ({ runsCode, argv: [program] }: Checker): boolean =>
    !runsCode || trusted.some(({ command }) => command === program || command.startsWith(`${program} `));
  const checks = new Map<string, Check>();
  for (const clash of clashes) {
    const checker = SEEN_BY_COMPILERS.has(clash.kind) ? await findChecker(main, clash.use.file) : null;
    if (checker === null || !isTrusted(checker)) continue;
    const key = `${checker.name} ${checker.folder}`;
    const known = checks.get(key);
    const needs = [...new Set([...(known?.needs ?? []), ...checker.needs])];
    checks.set(key, { ...checker, needs, isOwn: false, clashes: [...(known?.clashes ?? []), clash] });
  }
  return [...checks.values()];
}

const isCommand = (argv: readonly string[] | undefined): argv is readonly [string, ...string[]] =>
  argv !== undefined && argv.length > 0;

/**
 * Returns the checks of two sessions' merged files: the manifest's command `check`, else what the project's files
 * suggest. Nothing runs unless the user has trusted the manifest.
 */
async function checksFor(
  graph: Graph,
  clashes: readonly FoundClash[],
  main: string,
  { root, environment }: SessionPlaceParts,
): Promise<readonly Check[]> {
  const trusted = await approvedList(graph, root, environment);
  if (trusted === null) return [];
  const argv = graph.commands['check'];
  if (isCommand(argv)) return [ownCheck(argv, clashes)];
  // The list of a manifest that runs nothing is empty and needs no trust. In that case the user has not agreed to execute
  // any program, so nothing is checked.
  return trusted.length === 0 ? [] : guessedChecks(clashes, main, trusted);
}

interface Scene extends SessionPlaceParts {
  readonly place: string;
  readonly main: string;
  readonly worktree: ReturnType<typeof readWorktree>;
  readonly signal: AbortSignal;
}

/** Runs a check on the files of a commit. Returns null if it can't be run, or does not end in time. */
async function runCheck(check: Check, commit: string, scene: Scene): Promise<Checked | null> {
  const { git, processes, place, main, worktree, signal } = scene;
  const { copy, link, share, setup } = worktree;
  const scratch = { repository: place, scratchFolder: scratchesFolder(place), commit, hasFiles: true };
  const checked = await withScratch(git, { ...scratch, serialise: atOnce }, async (folder): Promise<Checked | null> => {
    const links = [...link, ...check.needs];
    const what = { main, worktree: folder, ports: null, copy, link: links, share, setup: check.isOwn ? setup : [] };
    const ready = await bootstrapWorktree(git, processes, what, signal);
    if (ready.kind === 'refused') return null;
    const cwd = path.join(folder, check.folder);
    const env = { ...sessionEnvironment({ worktree: folder, main, ports: null }), ...check.env };
    const request = { argv: check.argv, cwd, env, timeoutMs: CHECK_MS, outputLimit: OUTPUT_LIMIT };
    const { ended, exitCode, output } = await processes.run(request, signal);
    if (ended !== 'exited') return null;
    return { isClean: exitCode === 0, lines: linesOf(output, [cwd, await realPath(cwd)]) };
  });
  return checked !== null && 'kind' in checked ? null : checked;
}

/** Returns a commit with both branches merged, or null if git can't merge them. */
async function mergedCommit({ ours, theirs }: ProofRequest, { git, place }: Scene): Promise<string | null> {
  const tree = await git(place, ['merge-tree', '--write-tree', ours, theirs]);
  if (!tree.ok) return null;
  const [treeId = ''] = tree.out.split('\n');
  const merged = await quietly(git, place, ['commit-tree', treeId, '-p', ours, '-p', theirs, '-m', 'check']);
  return merged.ok ? lineOf(merged) : null;
}

/** Returns the path of a file relative to the folder of a check. */
const within = ({ folder }: Check, file: string): string =>
  folder !== '' && file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;

/** Runs one check and judges its clashes. A clash that the result does not contain is withdrawn. */
async function judge(
  check: Check,
  merged: string,
  { ours, theirs }: ProofRequest,
  scene: Scene,
): Promise<readonly JudgedClash[]> {
  const together = await runCheck(check, merged, scene);
  const likely = check.clashes.map((clash): JudgedClash => ({ ...clash, standing: 'likely' }));
  if (together === null) return likely;
  const fileOf = ({ use }: FoundClash): string => within(check, use.file);
  if (together.isClean) return likely.filter((one) => check.listsFiles && !hasLookedAt(together, fileOf(one)));
  const apart = new Map<string, Promise<Checked | null>>();
  /** Returns whether the merged files have a finding about the clash that this commit alone does not have. */
  const isNewIn = async (commit: string, clash: FoundClash): Promise<boolean> => {
    const before = await (apart.get(commit) ?? apart.set(commit, runCheck(check, commit, scene)).get(commit));
    return before !== null && before !== undefined && reportsMore(together, before, fileOf(clash));
  };
  const judged: JudgedClash[] = [];
  for (const clash of likely) {
    // The single branches are checked only if the check of the merged files reports something about the file of the
    // use.
    const isProved =
      reportsMore(together, NOTHING_FOUND, fileOf(clash)) &&
      (await isNewIn(clash.changer === 'ours' ? theirs : ours, clash)) &&
      (await isNewIn(clash.changer === 'ours' ? ours : theirs, clash));
    judged.push(isProved ? { ...clash, standing: 'proved' } : clash);
  }
  return judged;
}

/**
 * Runs checkers on the merged files of two commits. If a check passes, the clashes that it can see are withdrawn. A
 * clash is proved if the check reports something about the file of a use that it reports of neither branch alone.
 * Returns null if nothing was checked. Rejects only with the signal's reason.
 */
export async function proveClashes(
  request: ProofRequest,
  parts: SessionPlaceParts,
  stop: AbortSignal,
): Promise<readonly JudgedClash[] | null> {
  const graph = await verifyingGraph(request.session, parts.root);
  const found = await repositoryOf(parts);
  if (graph === null || !found.ok) return null;
  const checks = await checksFor(graph, request.clashes, found.main, parts);
  if (checks.length === 0) return null;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(PROOF_MS)]);
  const scene = { ...parts, place: found.place, main: found.main, worktree: readWorktree(graph.worktree), signal };
  const merged = await mergedCommit(request, scene);
  if (merged === null) return null;
  const judged: JudgedClash[] = [];
  for (const check of checks) judged.push(...(await judge(check, merged, request, scene)));
  stop.throwIfAborted();
  const checked = new Set(checks.flatMap(({ clashes }) => clashes));
  const unjudged = request.clashes.filter((clash) => !checked.has(clash));
  return [...judged, ...unjudged.map((clash): JudgedClash => ({ ...clash, standing: 'likely' }))];
}
