import { offeredAnswers, type SessionDiff } from '#engine/index.ts';
import { withoutSequences } from '#protocol/plain-text.ts';
import { whyText } from '#protocol/response.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Inbox, WaitingHalt, WaitingSession } from '#protocol/inbox.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { flagOf } from '../names/command-for.ts';
import { fromHere } from '../names/command-from-here.ts';
import { ageText, retryText } from './time-text.ts';
import { changeSummary } from './change-counts.ts';
import { fewNames } from './short-names.ts';
import { commandLines, fitLines, roomOn } from './fit-lines.ts';
import { harmless, styleFor } from './style.ts';
import { failureLines, withoutStackFrames } from './event-lines.ts';

const IS: Readonly<Record<WaitingSession['state'], string>> = {
  halted: 'It has stopped',
  failed: 'It has failed',
  ready: 'Its work is done',
};

/** The facts that are looked up in addition to the stored inbox. */
interface InboxFacts {
  /** Runs that an engine host continues when they are due. */
  readonly hosted: ReadonlySet<RunId>;
  /** The changes of waiting sessions. */
  readonly changes: ReadonlyMap<SessionId, SessionDiff>;
}

/** Prints halts and sessions, oldest first, each with its first command. */
export function printInbox(
  { waiting, sessions, damaged, interrupted, retrying = [] }: Inbox,
  { hosted, changes }: InboxFacts,
  io: CliIo,
): void {
  const { paint } = styleFor(io.stdout, io);
  const count = waiting.length + sessions.length;
  if (damaged.length > 0) printDamaged(damaged, io);
  if (count === 0) {
    io.stdout.write('Nothing waits for you.\n');
    printRetrying(retrying, io);
    printInterrupted(interrupted, io);
    return;
  }
  const now = Date.now();
  const entries = [
    ...waiting.map((item) => ({
      since: item.since,
      lines: haltLines(item, { now, isHosted: hosted.has(item.run), changes }, io),
    })),
    ...sessions.map((item) => ({ since: item.since, lines: sessionLines(item, now, changes, io) })),
  ].sort((one, other) => one.since - other.since);
  for (const { lines } of entries) io.stdout.write(`${lines.flatMap((line) => fitted(line, io)).join('\n')}\n\n`);
  const hint =
    waiting.length === 0
      ? ''
      : paint.dim(' Add --guidance <text> to any answer; `robosmith runs show <run>` says more.');
  for (const line of fitLines(
    `${count === 1 ? '1 item waits' : `${count} items wait`} for you.${hint}`,
    roomOn(io.stdout),
  ))
    io.stdout.write(`${line}\n`);
  printRetrying(retrying, io);
  printInterrupted(interrupted, io);
}

/** Reports blocks that a recovery policy executes again later. */
function printRetrying(retrying: NonNullable<Inbox['retrying']>, io: CliIo): void {
  for (const { run, block, until } of retrying)
    for (const line of fitLines(harmless(`${block} of ${run} ${retryText(until)}.`), roomOn(io.stdout)))
      io.stdout.write(`${line}\n`);
}

/** Reports interrupted runs: they have no halt, but need a person to resume them. */
function printInterrupted([run, ...others]: readonly RunId[], io: CliIo): void {
  if (run === undefined) return;
  const text =
    others.length === 0
      ? `1 run was interrupted and can be resumed: ${fromHere(`robosmith resume ${run}`, io)}`
      : `${others.length + 1} runs were interrupted and can be resumed: ${fromHere('robosmith runs', io)}`;
  for (const line of fitLines(text, roomOn(io.stdout))) io.stdout.write(`${line}\n`);
}

function printDamaged(damaged: readonly RunId[], io: CliIo): void {
  const what = damaged.length === 1 ? 'it waits' : 'they wait';
  const { paint, symbols } = styleFor(io.stderr, io);
  const text = `${fewNames(damaged)} can't be read, so it is unknown whether ${what}. \`robosmith doctor\` shows the damage.`;
  for (const line of fitLines(`${paint.yellow(symbols.warn)} ${harmless(text)}`, roomOn(io.stderr), '  '))
    io.stderr.write(`${line}\n`);
}

/** Wraps a line. Continuation lines are indented like the first one; if it begins with a bar, so do they. */
function fitted(line: string, io: CliIo): readonly string[] {
  const plain = withoutSequences(line);
  const [indent = ''] = /^ *(?:\| +)?/.exec(plain) ?? [];
  return plain.trimEnd().endsWith('\\') ? [line] : fitLines(line, roomOn(io.stdout), indent);
}

interface At {
  readonly now: number;
  /** True if an engine host holds the run. */
  readonly isHosted: boolean;
  readonly changes: InboxFacts['changes'];
}

function whenText(until: number, { now, isHosted }: Omit<At, 'changes'>): string {
  if (until <= now) return 'It is due now.';
  const when = ageText(now, until);
  return isHosted
    ? `It continues automatically in ${when}.`
    : `It is due in ${when}, but no engine host is running to continue it.`;
}

const answerLines = (command: string, io: CliIo): readonly string[] =>
  commandLines(harmless(fromHere(command, io)), roomOn(io.stdout), '    ', io).map(styleFor(io.stdout, io).paint.cyan);

/** Returns the lines with the changes that a person has to decide about, and the command that shows them. */
function changeLines(session: SessionId | null, changes: At['changes'], io: CliIo): readonly string[] {
  const found = session === null ? undefined : changes.get(session);
  if (session === null || found === undefined) return [];
  return [
    `  ${changeSummary(found, styleFor(io.stdout, io))}`,
    ...answerLines(`robosmith sessions diff ${session}`, io),
  ];
}

function haltLines(item: WaitingHalt, { now, isHosted, changes }: At, io: CliIo): readonly string[] {
  const { paint, symbols } = styleFor(io.stdout, io);
  const { block, frame, why, since, run, session, title, node, steps, until, answers } = item;
  const [command = ''] = answers;
  const [, ...others] = offeredAnswers(item).map(flagOf);
  const facts = [
    `run ${run}`,
    ...(session === null ? [] : [`session ${session}`]),
    // The frame is added because branches of a fork may halt at the same block.
    frame === '/' ? node : `${node} ${frame}`,
  ];
  const head = title === null || title === session ? block : `${title} ${symbols.dot} ${block}`;
  const alone = until === null ? '' : ` ${whenText(until, { now, isHosted })}`;
  return [
    `${paint.magenta(paint.bold(`${symbols.halt} ${harmless(head)}`))}  ${paint.bold(ageText(since, now))}  ${sentence(whyText(why))}${alone}`,
    `  ${paint.dim(harmless([...facts, `${steps} ${steps === 1 ? 'step' : 'steps'}`].join(` ${symbols.dot} `)))}`,
    ...saidLines(item).map((line) => `${paint.dim('  |')} ${line}`),
    ...hintLines(item),
    ...changeLines(session, changes, io),
    ...answerLines(command, io),
    `    ${paint.dim(`or ${others.join(', ')}`)}`,
  ];
}

function sessionLines(
  { session, title, state, since, why, answers }: WaitingSession,
  now: number,
  changes: At['changes'],
  io: CliIo,
): readonly string[] {
  const { paint, symbols } = styleFor(io.stdout, io);
  const [command = '', ...others] = answers;
  const mark = paint.bold(`${state === 'ready' ? symbols.ok : symbols.halt} ${harmless(title)}`);
  return [
    `${state === 'ready' ? paint.green(mark) : paint.magenta(mark)}  ${paint.bold(ageText(since, now))}  ${IS[state]}.`,
    `  ${paint.dim(`session ${session}`)}`,
    ...(why === null ? [] : withoutStackFrames(harmless(why)).slice(0, MOST_LINES)).map(
      (line) => `${paint.dim('  |')} ${line}`,
    ),
    ...changeLines(session, changes, io),
    ...answerLines(command, io),
    `    ${paint.dim(`or ${others.join(', ')}`)}`,
  ];
}

/** Returns a hint about a dependency that the worktree of a session lacks. */
function hintLines({ session, last }: WaitingHalt): readonly string[] {
  return session === null || last?.hint === undefined ? [] : [`  ${harmless(last.hint)}`];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const MOST_LINES = 3;

/** Returns how the block's program ended, and the part of its output that says why. */
const saidLines = ({ last }: WaitingHalt): readonly string[] =>
  last === undefined
    ? []
    : [...(last.summary === undefined ? [] : [harmless(last.summary)]), ...failureLines(last.content, MOST_LINES)];
