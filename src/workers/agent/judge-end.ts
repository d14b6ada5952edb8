import type { AgentName } from '#protocol/approvals.ts';
import type { ProcessResult } from '#protocol/services.ts';
import type { AgentReport } from './agent-report.ts';
import { causeOfExit, causeOfMessage, type FailureCause } from './failure-cause.ts';
import { LONGEST_LINE } from './read-lines.ts';
import { resetTime } from './reset-time.ts';

/** How an agent's execution ended; `until` is in milliseconds since the epoch. */
export type AgentEnding =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'not_logged_in' | 'no_money' | 'no_conversation' | 'failed'; readonly message: string }
  | { readonly kind: 'limited'; readonly message: string; readonly until: number };

/** Assumed duration of a usage limit, in milliseconds, if the agent does not report its end. */
const GUESS_MS = 900_000;

/** Matches a message about a usage limit that an agent reports as its answer. */
const LIMIT_AS_ANSWER = /^(?:Claude AI usage limit reached\|\d{10}|You've hit your [\w -]*limit\b.{0,80})$/;

const tail = (text: string): string => text.trim().split('\n').slice(-15).join('\n').slice(-2_000);

export interface AgentEnd {
  readonly reported: AgentReport;
  readonly result: Pick<ProcessResult, 'exitCode' | 'ended' | 'output' | 'error'>;
  /** The end of the agent's stderr. */
  readonly errors: string;
  /** The number of output lines that were too long to be read. */
  readonly dropped: number;
  readonly resumed: boolean;
  /** Exit codes other than 0 that the manifest gives a signal, `*` for all of them. */
  readonly expected: ReadonlySet<string>;
  /** The agent's preset, or null for any other program. */
  readonly preset: AgentName | null;
  readonly now: number;
}

/**
 * Returns the agent's own error messages and the end of its stderr. Its other messages are excluded, because they are
 * about the task, which may itself be about limits and payments.
 */
const troubleOf = ({ reported, errors }: AgentEnd): string =>
  [reported.error, tail(errors)].flatMap((one) => (one === null || one === '' ? [] : one)).join('\n');

const TOO_LONG = `a line of its output has more than ${LONGEST_LINE} characters, so its answer can't be read; ask for a shorter answer`;

function howItEnded(ended: AgentEnd): string {
  const { reported, result, preset } = ended;
  if (ended.dropped > 0 && !reported.isOver) return TOO_LONG;
  const trouble = troubleOf(ended);
  const said = trouble === '' ? tail(preset === null ? result.output : reported.said) : trouble;
  const killed = result.error === null ? 'was killed' : `was killed by ${result.error}`;
  const code = result.exitCode === null ? killed : `exited with ${result.exitCode}`;
  return said === '' ? `it ${code} before it had answered` : said;
}

const isExpected = (exitCode: number | null, expected: ReadonlySet<string>): boolean =>
  exitCode === 0 || (exitCode !== null && (expected.has(String(exitCode)) || expected.has('*')));

const answerOf = ({ reported, result, preset, expected }: AgentEnd): string | null => {
  if (preset === null) return result.ended === 'exited' && isExpected(result.exitCode, expected) ? result.output : null;
  return reported.isOver && reported.error === null ? reported.answer : null;
};

/**
 * Returns the cause of a failure. If the program has ended before the model said or did anything, its messages on
 * stderr are about itself, and so is its exit code.
 */
function causeOf({ reported, result, errors, preset }: AgentEnd): FailureCause | null {
  if (preset === null) return null;
  if (reported.cause !== null) return reported.cause;
  if (reported.limited) return 'limited';
  const isAboutItself = !reported.isOver && reported.said === '' && reported.activity.length === 0;
  const lines = isAboutItself ? [reported.error ?? '', ...tail(errors).split('\n')] : [];
  const found = lines.map((line) => causeOfMessage(preset, line)).find((cause) => cause !== null);
  return found ?? causeOfExit(preset, result.exitCode);
}

/** Classifies how an agent ended, based on its last event or, if there is none, on its exit code and stderr. */
export function judgeEnd(ended: AgentEnd): AgentEnding {
  const { reported, now } = ended;
  const answer = answerOf(ended);
  const isLimit = answer !== null && LIMIT_AS_ANSWER.test(answer.trim());
  if (answer !== null && !isLimit) return { kind: 'ok', text: answer };
  const message = answer ?? howItEnded(ended);
  const cause = isLimit ? 'limited' : causeOf(ended);
  if (cause === null || (cause === 'no_conversation' && !ended.resumed)) return { kind: 'failed', message };
  if (cause !== 'limited') return { kind: cause, message };
  const ends = reported.limitEnds !== null && reported.limitEnds > now ? reported.limitEnds : resetTime(message, now);
  return { kind: 'limited', message, until: ends ?? now + GUESS_MS };
}
