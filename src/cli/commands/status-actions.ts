import { keyPlaces } from '#engine/authoring.ts';
import {
  knownRedactor,
  runDetails,
  type SessionDiff,
  sessionDiff,
  storedSessions,
  uncommittedDiff,
} from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { AnswerParams } from '#protocol/host.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { RunId } from '#protocol/id.ts';
import { refusedAnswerText } from '#protocol/run.ts';
import type { Response } from '#protocol/response.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { Item } from '../console/item.ts';
import type { Action } from '../console/model.ts';
import type { ConsoleActions } from '../console/run-console.ts';
import { nextCommands } from '../print/next-commands.ts';
import { patchLines } from '../print/patch.ts';
import { harmless } from '../print/style.ts';
import { failureMessage } from '../print/why-it-failed.ts';
import { shownPath } from '../names/shown-path.ts';
import { withClient } from '../run/with-client.ts';
import type { CliIo, Screen } from '../terminal/cli-io.ts';
import { openShell } from '../terminal/child-environment.ts';
import { usageError } from '../terminal/usage-error.ts';
import { sessionsHold, sessionsMerge, sessionsMove } from './sessions-dispose.ts';

/** The limits of a diff on the screen; `robosmith sessions diff` shows more. */
const LIMITS = { fileLines: 2_000, bytes: 1_000_000 };

type Answered = Extract<Action, { kind: 'answer' }>;

/**
 * Returns a process environment without a terminal that collects the output: a command that uses it asks nothing and
 * draws nothing.
 */
function withoutPerson(io: CliIo): { readonly io: CliIo; readonly out: () => string } {
  let written = '';
  const screen = (write: (text: string) => void): Screen => ({ isTerminal: false, columns: () => 80, write });
  const stdout = screen((text) => {
    written += text;
  });
  const own = Object.create(io, {
    interactive: { value: false },
    stdout: { value: stdout },
    stderr: { value: screen(() => undefined) },
  }) as CliIo;
  return { io: own, out: () => written };
}

/** The document that a command about a session prints with `--json`. */
type Printed =
  | { readonly ok: true; readonly session: { readonly state: string }; readonly notes: readonly string[] }
  | { readonly ok: false; readonly error: { readonly message: string; readonly next: readonly string[] } };

const refused = (message: string, next: readonly string[]): RoboSmithError =>
  new RoboSmithError('refused', message, { next: [...next] });

/**
 * Executes a command as if the user had typed it, and returns a sentence about the result. Throws an error if the
 * command is refused.
 */
async function typed(command: (io: CliIo) => Promise<number>, did: string, io: CliIo): Promise<string> {
  const silent = withoutPerson(io);
  const code = await command(silent.io);
  const out = silent.out();
  if (out === '')
    throw refused(`The command ended with exit code ${code} and printed no result.`, ['robosmith sessions']);
  const printed = JSON.parse(out) as Printed;
  if (!printed.ok) throw refused(printed.error.message, printed.error.next);
  return `${[did.replace('{state}', printed.session.state), ...printed.notes].join('; ')}.`;
}

const refusalOf = (refusal: Response): RoboSmithError => {
  const { reason } = refusal;
  const next = reason === null ? [] : nextCommands(reason, refusal, { manifest: undefined, kept: null });
  return refused(failureMessage(refusal), next);
};

/** Sends a request to the owner of the engine; a host is started if nobody owns it. */
async function inHost<Value>(root: string, io: CliIo, work: (host: HostClient) => Promise<Value>): Promise<Value> {
  const done = await withClient(root, { io, warn: () => undefined, inHost: true }, work);
  if (done.ok) return done.value;
  throw refusalOf(done.refusal);
}

/** Returns the command line that gives the same answer to the halt. */
function answerCommand({ halt, answer }: Answered): string {
  const flags: Readonly<Record<string, readonly string[]>> = {
    reject: ['--reject', answer.guidance ?? ''],
    jump: answer.verb === 'jump' ? ['--jump', answer.block] : [],
  };
  const guidance = answer.guidance === undefined || answer.verb === 'reject' ? [] : ['--guidance', answer.guidance];
  const own = flags[answer.verb] ?? [`--${answer.verb}`];
  return ['robosmith', 'resume', halt.run, '--halt', halt.halt_id, ...own, ...guidance].map(shellWord).join(' ');
}

/**
 * Converts a refusal of an untrusted project to one that suggests `command` with `--trust`. The console can't ask for
 * trust itself, because the list of commands to trust needs the whole screen.
 */
const withTrust = (thrown: unknown, command: string): unknown =>
  RoboSmithError.is(thrown) && thrown.message.includes('not trusted')
    ? refused(thrown.message, [`${command} --trust`])
    : thrown;

async function answer(action: Answered, root: string, io: CliIo): Promise<string> {
  const { halt, answer } = action;
  const params: AnswerParams = { run: halt.run, halt: halt.halt_id, answer };
  try {
    const outcome = await inHost(root, io, (host) => host.call('run.answer', params));
    if (!outcome.accepted) throw refused(outcome.message ?? refusedAnswerText(outcome), ['robosmith inbox']);
    return `${halt.block}: answered with ${answer.verb}.`;
  } catch (thrown) {
    throw withTrust(thrown, answerCommand(action));
  }
}

async function resumeRun(run: RunId, root: string, io: CliIo): Promise<string> {
  try {
    const params = { run, retry: false, guidance: null, manifest: null };
    const begun = await inHost(root, io, (host) => host.call('run.resume', params));
    if (!begun.ok) throw refusalOf(begun.refusal);
    return `${run} is resumed.`;
  } catch (thrown) {
    throw withTrust(thrown, `robosmith resume ${run}`);
  }
}

async function diffOf(item: Item, root: string, io: CliIo): Promise<SessionDiff | null> {
  const redact = await knownRedactor(keyPlaces(io.env));
  const wanted = { paths: [], limits: LIMITS, redact };
  const session = storedSessions(root).find(({ id }) => id === item.session);
  if (session !== undefined) {
    const diff = await sessionDiff(session, root, wanted);
    if (!diff.ok) throw refused(diff.why, diff.next);
    return diff;
  }
  const directory = item.run === null ? null : (runDetails(root, item.run)?.directory ?? null);
  return directory === null ? null : uncommittedDiff(directory, wanted);
}

/** Returns the blocks of a run's manifest; those of the halted node come first. */
function blocksOf(run: RunId, block: string, root: string): readonly string[] {
  const nodes = runDetails(root, run)?.graph.nodes ?? [];
  const isOwn = (node: (typeof nodes)[number]): boolean => node.blocks.some(({ id }) => id === block);
  return [...nodes]
    .sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)))
    .flatMap((node) => node.blocks.map(({ id }) => id));
}

/** Runs a shell in the worktree of a session, or in the directory of a run. */
async function shell(item: Item, root: string, io: CliIo): Promise<string> {
  const session = storedSessions(root).find(({ id }) => id === item.session) ?? null;
  const directory = session?.worktree ?? (item.run === null ? null : (runDetails(root, item.run)?.directory ?? null));
  if (directory === null)
    throw usageError(`${item.title} has no worktree.`, [`robosmith sessions show ${item.session ?? ''}`]);
  io.stderr.write(harmless(`${session?.branch ?? item.title} in ${shownPath(directory, io)}; type exit to return.\n`));
  const code = await openShell(directory, io);
  return code === 0 ? '' : `The shell ended with exit code ${code}.`;
}

/** Returns the actions of the console. They go through the commands of the same names, or through the engine host. */
export const statusActions = (root: string, io: CliIo): ConsoleActions => ({
  act: (action, title) => {
    switch (action.kind) {
      case 'answer':
        return answer(action, root, io);
      case 'merge':
        return typed((own) => sessionsMerge(action.session, { yes: true, json: true }, own), `${title} is merged`, io);
      case 'hold':
        return typed((own) => sessionsHold(action.session, { json: true }, own), `${title} is held`, io);
      case 'resume':
        return typed((own) => sessionsMove('resume', action.session, { json: true }, own), `${title} is {state}`, io);
      case 'resumeRun':
        return resumeRun(action.run, root, io);
    }
  },
  diff: async (item) => {
    const diff = await diffOf(item, root, io);
    if (diff === null || diff.files.length === 0) return null;
    const lines = patchLines(diff.patch ?? '');
    const more = item.session === null ? 'git diff HEAD' : `robosmith sessions diff ${item.session}`;
    const omitted =
      diff.omitted === 0
        ? []
        : [{ kind: 'note' as const, text: `${diff.omitted} lines are left out. See them with ${more}` }];
    return { title: `${item.title}: what has changed since its base`, lines: [...lines, ...omitted] };
  },
  blocks: ({ run, block }) => blocksOf(run, block, root),
  shell: (item) => shell(item, root, io),
});
