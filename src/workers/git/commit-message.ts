import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { isSignalLine } from '../answer/answer-lines.ts';
import { withPlainSignal } from '../answer/signal-line.ts';
import { fences } from '../answer/code-blocks.ts';

const TRAILER = 'RoboSmith-Step';

/** A message is an argument of git's: systems limit those. */
const LONGEST = 16_000;

/** Which execution has made a commit; the same words never stand for two. */
export const stepMark = (step: string, attempt: number): string => `${step}@${attempt}`;

/** What to look for in the messages of a repository: all executions of this step. */
export const marksOf = (step: string): string => `${TRAILER}: ${step}@`;

/** For `git log --format`: the marks of a commit. */
export const MARK_FORMAT = `%(trailers:key=${TRAILER},valueonly,separator=%x2C)`;

/** The words of a model: in a fence, or with a signal after them. */
function spoken(text: string): string {
  const [only, ...others] = fences(text);
  const lines = only !== undefined && others.length === 0 ? only.lines : withPlainSignal(text.split(/\r?\n/));
  return lines.filter((line) => !isSignalLine(line)).join('\n');
}

/** Nobody but us says which step a commit belongs to. */
const cleaned = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex -- git takes no NUL, and a terminal should see no other
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .split('\n')
    .filter((line) => !line.toLowerCase().trimStart().startsWith(TRAILER.toLowerCase()))
    .join('\n')
    .trim()
    .slice(0, LONGEST);

function written({ id, params }: GraphBlock): string | null {
  const { message } = params;
  if (message === undefined) return null;
  if (typeof message === 'string') return message;
  throw new RoboSmithError('precondition_failed', `${id} has a "message" in its "params" that is no text`);
}

/** Are these the trailers of a message already? Then ours stands with them. */
const endsInTrailers = (message: string): boolean => {
  const paragraphs = message.split(/\n\s*\n/);
  const last = paragraphs.at(-1) ?? '';
  return paragraphs.length > 1 && last.split('\n').every((line) => /^[A-Za-z][A-Za-z0-9-]*: \S/.test(line));
};

/** What the manifest says, else the newest COMMIT_MESSAGE, else the task, else the block's name; and whose commit it is. */
export function commitMessage({ payload, system }: BlockMemory, block: GraphBlock): string {
  const said = payload.findLast(({ type }) => type === 'COMMIT_MESSAGE');
  const candidates = [written(block), said === undefined ? null : spoken(said.content), system.task];
  const texts = candidates.map((text) => (text === null ? '' : cleaned(text)));
  const message = texts.find((text) => text !== '') ?? `${block.node}: ${block.name}`;
  return `${message}${endsInTrailers(message) ? '\n' : '\n\n'}${TRAILER}: ${stepMark(system.step, system.attempt)}\n`;
}
