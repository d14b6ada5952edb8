import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { isSignalLine } from '../answer/answer-lines.ts';
import { withPlainSignal } from '../answer/signal-line.ts';
import { fences } from '../answer/code-blocks.ts';

const TRAILER = 'RoboSmith-Step';

/**
 * Maximum length of a commit message in characters. The message is passed as an argument, whose length operating
 * systems limit.
 */
const LONGEST = 16_000;

/** Returns the mark of one attempt of a step. It identifies the commit that the attempt made. */
export const stepMark = (step: string, attempt: number): string => `${step}@${attempt}`;

/** Returns the text to search commit messages for: the marks of all attempts of a step. */
export const marksOf = (step: string): string => `${TRAILER}: ${step}@`;

/** The format for `git log --format` that prints the marks of a commit. */
export const MARK_FORMAT = `%(trailers:key=${TRAILER},valueonly,separator=%x2C)`;

/**
 * Returns the commit message in a model's text: the content of the only fenced block, or else the whole text, in both
 * cases without the signal.
 */
function spoken(text: string): string {
  const [only, ...others] = fences(text);
  const lines = only !== undefined && others.length === 0 ? only.lines : withPlainSignal(text.split(/\r?\n/));
  return lines.filter((line) => !isSignalLine(line)).join('\n');
}

/**
 * Cleans a commit message: removes control characters, and lines that look like RoboSmith's trailer, which would
 * attribute the commit to a step.
 */
const cleaned = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex -- git rejects NUL, and the other characters could control a terminal
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
  throw new RoboSmithError('precondition_failed', `${id} has a "message" in its "params" that is not a string`);
}

/** Returns true if a message already ends with trailers, so that RoboSmith's trailer is appended to them. */
const endsInTrailers = (message: string): boolean => {
  const paragraphs = message.split(/\n\s*\n/);
  const last = paragraphs.at(-1) ?? '';
  return paragraphs.length > 1 && last.split('\n').every((line) => /^[A-Za-z][A-Za-z0-9-]*: \S/.test(line));
};

/**
 * Returns the commit message: from the manifest, else from the newest COMMIT_MESSAGE segment, else the name of the
 * task, else the block's name. A trailer names the step and the attempt.
 */
export function commitMessage({ payload, system }: BlockMemory, block: GraphBlock): string {
  const said = payload.findLast(({ type }) => type === 'COMMIT_MESSAGE');
  const candidates = [written(block), said === undefined ? null : spoken(said.content), system.task];
  const texts = candidates.map((text) => (text === null ? '' : cleaned(text)));
  const message = texts.find((text) => text !== '') ?? `${block.node}: ${block.name}`;
  return `${message}${endsInTrailers(message) ? '\n' : '\n\n'}${TRAILER}: ${stepMark(system.step, system.attempt)}\n`;
}
