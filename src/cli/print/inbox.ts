import type { OpenHalt, RunSummary } from '#protocol/run-summary.ts';
import type { CliIo } from '../cli-io.ts';
import { offeredVerbs } from '../run/resume-commands.ts';
import { ageText } from './age.ts';
import { whyText } from './halts.ts';
import { harmless, styleFor } from './style.ts';
import { tellingLines } from './telling-lines.ts';

export type InboxItem = OpenHalt &
  Pick<RunSummary, 'run' | 'node' | 'steps'> & {
    /** Commands that answer it; a jump needs a block besides. */
    readonly answers: readonly string[];
  };

/** Each with the first command that answers it, and what it may say instead. */
export function printInbox(items: readonly InboxItem[], io: CliIo): void {
  const { paint, symbols } = styleFor(io.stdout, io);
  if (items.length === 0) {
    io.stdout.write('Nothing waits for you.\n');
    return;
  }
  const now = Date.now();
  for (const item of items) {
    const { block, why, since, run, node, steps, until, answers } = item;
    const [command = ''] = answers;
    const [, ...others] = offeredVerbs(why).map((verb) => (verb === 'jump' ? '--jump <block>' : `--${verb}`));
    const facts = [`run ${run}`, node, `${steps} ${steps === 1 ? 'step' : 'steps'}`];
    const alone =
      until === null ? '' : until <= now ? ' Its time has come.' : ` It goes on by itself in ${ageText(now, until)}.`;
    io.stdout.write(
      [
        `${paint.magenta(paint.bold(`${symbols.halt} ${harmless(block)}`))}  ${paint.bold(ageText(since, now))}  ${whyText(why)}.${alone}`,
        `  ${paint.dim(harmless(facts.join(` ${symbols.dot} `)))}`,
        ...saidLines(item).map((line) => `${paint.dim('  |')} ${line}`),
        `    ${paint.cyan(harmless(command))}`,
        `    ${paint.dim(`or ${others.join(', ')}`)}`,
        '',
        '',
      ].join('\n'),
    );
  }
  io.stdout.write(
    `${items.length === 1 ? '1 waits' : `${items.length} wait`} for you. ${paint.dim('--guidance <text> goes with each answer; `robosmith runs show <run>` says more.')}\n`,
  );
}

const MOST_LINES = 3;

/** The end of what was said last. */
const saidLines = ({ last }: InboxItem): readonly string[] =>
  last === undefined ? [] : tellingLines(harmless(last.content)).slice(-MOST_LINES);
