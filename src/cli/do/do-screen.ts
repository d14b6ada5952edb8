import { keyPlaces } from '#engine/authoring.ts';
import {
  knownRedactor,
  offeredAnswers,
  REASON,
  type SessionDiff,
  sessionDiff,
  storedSessionOf,
} from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import { type Answer, type Halt, type Response, whyText } from '#protocol/response.ts';
import type { Session } from '#protocol/session.ts';
import { changesOfSession } from '../ask/shown-changes.ts';
import { fromHere } from '../names/command-from-here.ts';
import type { AskPerson } from '../names/person.ts';
import { haltsOf } from '../names/resume-commands.ts';
import { type StoredRunCommands, storedRunCommands } from '../names/stored-run-commands.ts';
import { changedFileLines, changeSummary } from '../print/change-counts.ts';
import { failureLines } from '../print/event-lines.ts';
import { fitLines, roomOn } from '../print/fit-lines.ts';
import { whenText } from '../print/time-text.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { type DoNames, isReady, namesOf } from './do-run.ts';
import { otherWorktrees } from './other-worktrees.ts';
import { pressKey } from './press-key.ts';
import { rowText } from './row-text.ts';

/** How many files, and how many lines of a failure, the screen shows. */
const MOST_FILES = 12;
const MOST_LINES = 8;

/** The work that a halt is about. */
interface Standing {
  readonly halt: Halt;
  readonly session: Session;
  readonly kept: StoredRunCommands;
  readonly changes: SessionDiff | null;
}

const hasChanges = ({ changes }: Standing): boolean => changes === null || changes.files.length > 0;

/** Returns whether a check was not executed, because its program is missing. */
const hasNotRun = (last: Halt['last']): boolean =>
  /(?: exited with 12[67] after | did not start: )/.test(last?.summary ?? '');

/** Says why the work waits, in words. */
function headText({ why, until, last }: Halt, { agent, check }: DoNames): string {
  if (until !== null) return `${agent} waits for its limit, and goes on by itself at ${whenText(until)}`;
  switch (why) {
    case 'manual':
      return 'Ready';
    case 'evidence':
      return `Not done: ${check ?? 'the check'} ${hasNotRun(last) ? 'could not be executed' : 'still fails'}`;
    case 'flagged':
      return `Not done: ${agent} could not do it`;
    case 'unsafe':
      return 'Interrupted; what was changed is kept';
    default:
      return `Stopped: ${whyText(why)}`;
  }
}

async function changesOf(session: Session, root: string, io: CliIo): Promise<SessionDiff | null> {
  const redact = await knownRedactor(keyPlaces(io.env));
  const diff = await sessionDiff(session, root, { paths: [], limits: null, redact }).catch(() => null);
  return diff?.ok === true ? diff : null;
}

function print(text: string, io: CliIo): void {
  for (const line of fitLines(text, roomOn(io.stderr), '  ')) io.stderr.write(`${line}\n`);
}

/** Prints the head, the changed files, the end of a failure, and how it fits together with other worktrees. */
async function printStanding(
  { halt, changes, session }: Standing,
  { metadata }: Response,
  names: DoNames,
  io: CliIo,
): Promise<void> {
  const style = styleFor(io.stderr, io);
  const { paint, symbols } = style;
  const ready = isReady(halt);
  const mark = ready ? paint.green(symbols.halt) : paint.yellow(symbols.halt);
  const summary =
    changes === null ? '' : `   ${changes.files.length === 0 ? 'nothing has changed' : changeSummary(changes, style)}`;
  const cost = metadata.cost === null ? null : metadata.cost * 1_000_000;
  const head = `${mark} ${paint.bold(headText(halt, names))}${summary}`;
  io.stderr.write(`\n${rowText(head, { ms: metadata.duration_ms, microUsd: cost }, io.stderr, paint.dim)}\n`);
  if (changes !== null)
    for (const line of changedFileLines(changes, MOST_FILES, io.stderr, io)) io.stderr.write(`${line}\n`);
  const { last } = halt;
  // An interruption has no output of its own; the engine's explanation is about its answers.
  if (!ready && last !== null && halt.why !== 'unsafe') {
    if (last.summary !== undefined) print(`  ${paint.dim(harmless(last.summary))}`, io);
    for (const line of failureLines(last.content, MOST_LINES)) print(`  ${paint.dim('|')} ${line}`, io);
    if (last.hint !== undefined) print(`  ${harmless(last.hint)}`, io);
  }
  if (ready) for (const line of await otherWorktrees(session, io)) io.stderr.write(`  ${line}\n`);
}

/** Returns the answer that continues the work of a halt. */
const goOn = (halt: Halt): 'retry' | 'proceed' => (offeredAnswers(halt).includes('retry') ? 'retry' : 'proceed');

type Key = 'l' | 'd' | 'r' | 'g' | 'h';

/** Returns the ways out of a halt: their keys, what they do, and the commands that do the same later. */
function waysOut(standing: Standing): readonly (readonly [key: Key, what: string, command: string])[] {
  const { halt, session, kept } = standing;
  const resume = (...flags: readonly string[]): string => kept.command('resume', '--halt', halt.halt_id, ...flags);
  const ofSession = (verb: string): string => kept.inProject('sessions', verb, session.id);
  const ready = isReady(halt);
  const ask = ready ? resume('--reject', REASON) : resume(`--${goOn(halt)}`, '--guidance', REASON);
  return [
    ...(ready && hasChanges(standing) ? [['l', `land it on ${session.baseBranch}`, ofSession('merge')] as const] : []),
    ...(ready ? [] : [['g', 'go on', resume(`--${goOn(halt)}`)] as const]),
    ...(hasChanges(standing) ? [['d', 'show the diff', ofSession('diff')] as const] : []),
    ['r', 'ask for a change', ask],
    ['h', 'keep it for later', kept.command('resume')],
  ];
}

async function askChange(over: AbortSignal): Promise<string | null> {
  const [clack, { personStreams }] = await Promise.all([
    import('@clack/prompts'),
    import('../terminal/read-secret.ts'),
  ]);
  const person = personStreams();
  const typed = await clack.text({
    ...person,
    signal: AbortSignal.any([person.signal, over]),
    message: 'What should change?',
    validate: (given) => ((given ?? '').trim() === '' ? 'Say what should change, or press Escape.' : undefined),
  });
  return clack.isCancel(typed) ? null : typed.trim();
}

/** The screen of a task that waits for the person: with keys at a terminal, else with commands. */
export interface DoScreen {
  readonly ask: AskPerson;
  /** Prints each halt that was not shown yet, and the commands that answer the open ones. */
  printHalts(response: Response): Promise<void>;
  /** True once the person has chosen to land the work. */
  isLanding(): boolean;
}

export function doScreen(graph: Graph, root: string, pause: () => void, io: CliIo): DoScreen {
  const names = namesOf(graph);
  const shown = new Set<string>();
  let landing = false;

  const standingOf = async (halt: Halt, run: RunId | null): Promise<Standing | null> => {
    const session = run === null ? null : storedSessionOf(root, run);
    if (run === null || session === null) return null;
    return { halt, session, kept: storedRunCommands(run, null, io), changes: await changesOf(session, root, io) };
  };
  const show = async (standing: Standing, response: Response): Promise<void> => {
    if (shown.has(standing.halt.halt_id)) return;
    shown.add(standing.halt.halt_id);
    await printStanding(standing, response, names, io);
  };

  const choose = async (standing: Standing, over: AbortSignal): Promise<Answer | null> => {
    const ways = waysOut(standing);
    const { paint } = styleFor(io.stderr, io);
    const line = ways.map(([key, what]) => `${paint.yellow(key)} ${harmless(what)}`).join('   ');
    for (;;) {
      const key = await pressKey(
        ways.map(([one]) => one),
        () => print(`\n  ${line}`, io),
        over,
      );
      if (key === 'd') await (await changesOfSession(standing.session, root, io))?.printDiff();
      else if (key === 'r') {
        const guidance = await askChange(over);
        if (guidance !== null) return { verb: isReady(standing.halt) ? 'reject' : goOn(standing.halt), guidance };
        if (over.aborted) return null;
      } else if (key === 'g') return { verb: goOn(standing.halt) };
      else if (key === 'l') {
        landing = true;
        return { verb: 'proceed' };
      } else return null;
    }
  };

  return {
    ask: async (halt, _allowed, response, over) => {
      pause();
      const standing = await standingOf(halt, response.metadata.run_id);
      if (standing === null || over.aborted) return null;
      await show(standing, response);
      return halt.until === null && !over.aborted ? choose(standing, over) : null;
    },
    printHalts: async (response) => {
      const { paint } = styleFor(io.stderr, io);
      for (const halt of haltsOf(response)) {
        const standing = await standingOf(halt, response.metadata.run_id);
        if (standing === null) continue;
        await show(standing, response);
        const ways = waysOut(standing);
        const width = Math.max(...ways.map(([, what]) => what.length));
        io.stderr.write('\n');
        for (const [, what, command] of ways)
          io.stderr.write(`  ${harmless(what).padEnd(width)}   ${paint.cyan(harmless(fromHere(command, io)))}\n`);
      }
    },
    isLanding: () => landing,
  };
}
