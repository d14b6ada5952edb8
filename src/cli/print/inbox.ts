import type { WaitingSession } from '#engine/index.ts';
import type { SessionId } from '#protocol/id.ts';
import { whyText } from '#protocol/halt-reason-text.ts';
import type { OpenHalt, RunSummary } from '#protocol/run-summary.ts';
import type { CliIo } from '../cli-io.ts';
import { offeredVerbs } from '../run/resume-commands.ts';
import { ageText } from './age.ts';
import { harmless, styleFor } from './style.ts';
import { tellingLines } from './telling-lines.ts';

export type InboxItem = OpenHalt &
  Pick<RunSummary, 'run' | 'node' | 'steps'> & {
    /** That the run works for; null: none. */
    readonly session: SessionId | null;
    /** Commands that answer it; a jump needs a block besides. */
    readonly answers: readonly string[];
  };

export type SessionItem = WaitingSession & {
  /** Commands that go on with it. */
  readonly answers: readonly string[];
};

const IS: Readonly<Record<WaitingSession['state'], string>> = {
  halted: 'It has stopped',
  failed: 'It has failed',
  ready: 'Its work is done',
};

/** Halts and sessions, the oldest first: each with the first command that answers it, and what it may say instead. */
export function printInbox(items: readonly InboxItem[], sessions: readonly SessionItem[], io: CliIo): void {
  const { paint } = styleFor(io.stdout, io);
  const count = items.length + sessions.length;
  if (count === 0) {
    io.stdout.write('Nothing waits for you.\n');
    return;
  }
  const now = Date.now();
  const told = [
    ...items.map((item) => ({ since: item.since, lines: haltLines(item, now, io) })),
    ...sessions.map((item) => ({ since: item.since, lines: sessionLines(item, now, io) })),
  ].sort((one, other) => one.since - other.since);
  for (const { lines } of told) io.stdout.write(`${lines.join('\n')}\n\n`);
  const hint =
    items.length === 0
      ? ''
      : paint.dim(' --guidance <text> goes with each answer; `robosmith runs show <run>` says more.');
  io.stdout.write(`${count === 1 ? '1 waits' : `${count} wait`} for you.${hint}\n`);
}

function haltLines(item: InboxItem, now: number, io: CliIo): readonly string[] {
  const { paint, symbols } = styleFor(io.stdout, io);
  const { block, why, since, run, session, node, steps, until, answers } = item;
  const [command = ''] = answers;
  const [, ...others] = offeredVerbs(why).map((verb) => (verb === 'jump' ? '--jump <block>' : `--${verb}`));
  const facts = [`run ${run}`, ...(session === null ? [] : [`session ${session}`]), node];
  const alone =
    until === null ? '' : until <= now ? ' Its time has come.' : ` It goes on by itself in ${ageText(now, until)}.`;
  return [
    `${paint.magenta(paint.bold(`${symbols.halt} ${harmless(block)}`))}  ${paint.bold(ageText(since, now))}  ${whyText(why)}.${alone}`,
    `  ${paint.dim(harmless([...facts, `${steps} ${steps === 1 ? 'step' : 'steps'}`].join(` ${symbols.dot} `)))}`,
    ...saidLines(item).map((line) => `${paint.dim('  |')} ${line}`),
    `    ${paint.cyan(harmless(command))}`,
    `    ${paint.dim(`or ${others.join(', ')}`)}`,
  ];
}

function sessionLines({ session, title, state, since, why, answers }: SessionItem, now: number, io: CliIo) {
  const { paint, symbols } = styleFor(io.stdout, io);
  const [command = '', ...others] = answers;
  const mark = paint.bold(`${state === 'ready' ? symbols.ok : symbols.halt} ${harmless(title)}`);
  return [
    `${state === 'ready' ? paint.green(mark) : paint.magenta(mark)}  ${paint.bold(ageText(since, now))}  ${IS[state]}.`,
    `  ${paint.dim(`session ${session}`)}`,
    ...(why === null ? [] : tellingLines(harmless(why)).slice(0, MOST_LINES)).map(
      (line) => `${paint.dim('  |')} ${line}`,
    ),
    `    ${paint.cyan(command)}`,
    `    ${paint.dim(`or ${others.join(', ')}`)}`,
  ];
}

const MOST_LINES = 3;

/** The end of what was said last. */
const saidLines = ({ last }: InboxItem): readonly string[] =>
  last === undefined ? [] : tellingLines(harmless(last.content)).slice(-MOST_LINES);
