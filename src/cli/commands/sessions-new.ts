import { setUpCommands, tearDownCommands, verifyingGraph } from '#engine/authoring.ts';
import type { Session } from '#protocol/session.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { Start } from '#protocol/run.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { shownPath } from '../names/shown-path.ts';
import { stateWords } from '../names/state-words.ts';
import { printRefused } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { repositoryAbove } from '../project/in-project.ts';
import { findStart } from '../run/find-start.ts';
import { queueReason } from '../run/begin-in-session.ts';
import { readRunInput } from '../run/read-run-input.ts';
import { readScript } from '../run/read-script.ts';
import { orderSession, type OrderFlags } from '../sessions/order-session.ts';
import { printSessionChange, withSessions } from '../sessions/with-sessions.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { confirmBranch } from '../trust/confirm-branch.ts';
import { checkIsolation } from '../sessions/check-isolation.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface SessionsNewOptions extends OrderFlags {
  readonly node?: string;
  readonly manifest?: string;
  readonly draft?: true;
  readonly trust?: true;
  readonly json?: true;
}

/** Returns the same command with `--trust`. */
const trustingCommand = (title: string, options: SessionsNewOptions): string => {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--node', options.node],
    ...(options.plan ?? []).map((glob) => ['--plan', glob] as const),
    ['--priority', options.priority],
    ...(options.after ?? []).map((session) => ['--after', session] as const),
    ...([
      ['--base', options.base],
      ['--attach', options.attach],
    ] as const),
    ...([
      ['--manifest', options.manifest],
      ['--script', options.script],
    ] as const),
    ...(options.input ?? []).map((input) => ['--input', input] as const),
  ];
  return [
    ...['robosmith', 'sessions', 'new', title],
    ...given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
    ...(options.step === true ? ['--step'] : []),
    ...(options.draft === true ? ['--draft'] : []),
    '--trust',
  ]
    .map(shellWord)
    .join(' ');
};

/**
 * Returns the job of the session. It is checked now, so that the session doesn't fail unnoticed later. Returns null if
 * the manifest has errors, which were printed.
 */
async function startOf(
  title: string,
  node: string,
  options: SessionsNewOptions,
  root: string,
  io: CliIo,
): Promise<{ readonly at: Start; readonly manifest: string; readonly input: string | null } | null> {
  const manifest = await openManifest(options.manifest, [io.cwd, root], io, root);
  const workflow = runnable(manifest);
  if (workflow === null) {
    printInvalid(manifest, io);
    return null;
  }
  const found = findStart(node, workflow.graph);
  if ('message' in found) throw usageError(found.message, ['robosmith manifest show']);
  checkIsolation(workflow.graph, found.start);
  if (options.script !== undefined) await readScript(options.script, workflow.graph, io);
  const input = await readRunInput(options.input, workflow.graph, io, root);
  if ((await askTrust(workflow.graph, root, options.trust === true, io)) === null)
    throw usageError('This project runs commands or calls models, and it is not trusted yet; nothing was created.', [
      trustingCommand(title, options),
    ]);
  return { at: found.start, manifest: manifest.file, input };
}

/** The flags that only a session with a node can use. */
const FOR_NODES = ['manifest', 'input', 'script', 'step'] as const;

function checkByHand(options: SessionsNewOptions): void {
  const useless = FOR_NODES.find((flag) => options[flag] !== undefined);
  if (options.node === undefined && useless !== undefined)
    throw usageError(`--${useless} is for a session that runs a node: name one with --node.`, [
      'robosmith manifest show',
      'robosmith sessions new --help',
    ]);
}

const NOT_SET_UP =
  'The commands of "worktree" in the manifest are not run, because the project is not trusted here: run them yourself, or create the session with --trust.';

/**
 * Asks whether the commands that set up a person's worktree are trusted; returns the notes to print if they are not.
 */
async function setUpNotes(options: SessionsNewOptions, root: string, io: CliIo): Promise<readonly string[]> {
  const graph = await verifyingGraph({ job: null, resolving: null }, root);
  const commands = graph === null ? [] : [...setUpCommands(graph), ...tearDownCommands(graph)];
  if (graph === null || commands.length === 0) return [];
  return (await askTrust(graph, root, options.trust === true, io)) === null ? [NOT_SET_UP] : [];
}

/** Asks about the branch of `--attach` if its commit comes from elsewhere. */
async function checkBranch(title: string, options: SessionsNewOptions, root: string, io: CliIo): Promise<void> {
  const { attach, trust } = options;
  if (attach === undefined) return;
  const graph = await verifyingGraph({ job: null, resolving: null }, root);
  if (await confirmBranch(attach, root, graph, trust === true, io)) return;
  throw usageError(`The branch ${attach} comes from elsewhere, and must be confirmed first; nothing was created.`, [
    trustingCommand(title, options),
  ]);
}

/** Creates a session with its own branch and worktree, for a node or for a person. */
export const sessionsNew = (title: string, options: SessionsNewOptions, io: CliIo): Promise<number> =>
  withSessions(
    { ...options, runs: options.node !== undefined && options.draft !== true },
    io,
    async ({ api, root, sessions }) => {
      checkByHand(options);
      const start = options.node === undefined ? null : await startOf(title, options.node, options, root, io);
      if (options.node !== undefined && start === null) return 2;
      const notes = start === null ? await setUpNotes(options, root, io) : [];
      await warnOfTop(root, io);
      await checkBranch(title, options, root, io);
      const order = orderSession(title, start, options, sessions, io);
      const { id } = await api.create({ ...order, isDraft: true });
      if (options.draft === true) return printCreated(await api.change(id, {}), root, notes, options, io);
      const queued = await api.submit(id);
      const made = start === null && queued.state === 'creating' ? await api.moved(id, 0) : queued;
      return printCreated(made, root, notes, options, io);
    },
  );

/** Warns if the project is only a folder of its repository. */
async function warnOfTop(root: string, io: CliIo): Promise<void> {
  const top = await repositoryAbove(root);
  if (top === null) return;
  const { paint, symbols } = styleFor(io.stderr, io);
  const text = `The session works at the top of the repository (${shownPath(top, io)}); its plan is relative to it.`;
  io.stderr.write(`${paint.yellow(symbols.warn)} ${text}\n`);
}

async function printCreated(
  session: Session,
  root: string,
  more: readonly string[],
  options: SessionsNewOptions,
  io: CliIo,
): Promise<number> {
  const { id, title, state, why, worktree, branch, baseBranch } = session;
  if (state === 'failed') {
    const message = `${title} (${id}) could not be created: ${harmless(why ?? '')}`;
    return printRefused({ code: 'refused', message, next: [`robosmith sessions show ${id}`] }, 1, options, io);
  }
  const waits = await queueReason(session, root);
  const where = worktree === null ? [] : [`in ${shownPath(worktree, io)}, on ${branch}, from ${baseBranch}`];
  return printSessionChange(
    session,
    `is ${stateWords(state)}`,
    [...(waits === null ? where : [waits]), ...session.remarks, ...more],
    options,
    io,
  );
}
