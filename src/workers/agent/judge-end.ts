import type { ProcessResult } from '#protocol/services.ts';
import type { AgentReport } from './agent-report.ts';
import { resetTime } from './reset-time.ts';

/** How an agent's execution ended; `until` is in milliseconds since the epoch. */
export type Verdict =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'not_logged_in' | 'no_money' | 'no_conversation' | 'failed'; readonly message: string }
  | { readonly kind: 'limited'; readonly message: string; readonly until: number };

/** Assumed duration of a usage limit, in milliseconds, if the agent does not report its end. */
const GUESS_MS = 900_000;

const LOGIN =
  /invalid api key|please run \/login|not logged in|please log ?in|log in again|sign(?:ing)? in again|authentication_(?:failed|error)|oauth token|401 unauthorized|status 401|missing bearer|set an auth method|must specify the .*api_key|authentication (?:required|cancelled)|credentials are not valid|no api key/i;
const MONEY = /credit balance is too low|insufficient[_ ]quota|billing|payment required|out of credits/i;
const LIMIT =
  /usage limit|hit your (?:[\w-]+ )?limit|limit reached|rate.?limit|too many requests|\b429\b|quota|resource_exhausted/i;
const CONVERSATION =
  /no conversation found|no rollout found|(?:session|thread|conversation)[^.\n]{0,80}not found|invalid session identifier|no previous sessions/i;

/** Matches a message about a usage limit that an agent reports as its answer. */
const LIMIT_AS_ANSWER = /^(?:Claude AI usage limit reached\|\d{10}|You've hit your [\w -]*limit\b.{0,80})$/;

/** The exit code of Gemini CLI for its `FatalAuthenticationError`. */
const GEMINI_LOGIN_CODE = 41;

const tail = (text: string): string => text.trim().split('\n').slice(-15).join('\n').slice(-2_000);

export interface AgentEnd {
  readonly reported: AgentReport;
  readonly result: Pick<ProcessResult, 'exitCode' | 'ended' | 'output' | 'error'>;
  /** The end of the agent's stderr. */
  readonly errors: string;
  readonly resumed: boolean;
  /** The name of the agent's preset, or null for any other program. */
  readonly preset: string | null;
  readonly now: number;
}

/**
 * Matches a path, an address, or a position in a file. These are removed before an error text is classified, because
 * their names may contain words such as "quota".
 */
const PLACE = /[\w.:@~-]{0,200}(?:\w[\\/]\w|\.\w+:\d)[\w.:@~\\/-]*/g;

/**
 * Returns the agent's own error messages and the end of its stderr. Its other messages are excluded, because they are
 * about the task, which may itself be about limits and payments.
 */
const troubleOf = ({ reported, errors }: AgentEnd): string =>
  [reported.error, tail(errors)].flatMap((one) => (one === null || one === '' ? [] : one)).join('\n');

function howItEnded(ended: AgentEnd): string {
  const { reported, result, preset } = ended;
  const trouble = troubleOf(ended);
  const said = trouble === '' ? tail(preset === null ? result.output : reported.said) : trouble;
  const killed = result.error === null ? 'was killed' : `was killed by ${result.error}`;
  const code = result.exitCode === null ? killed : `exited with ${result.exitCode}`;
  return said === '' ? `it ${code} before it had answered` : said;
}

const answerOf = ({ reported, result, preset }: AgentEnd): string | null => {
  if (preset === null) return result.ended === 'exited' && result.exitCode === 0 ? result.output : null;
  return reported.isOver && reported.error === null ? reported.answer : null;
};

/** Classifies how an agent ended, based on its last event or, if there is none, on its exit code and stderr. */
export function judgeEnd(ended: AgentEnd): Verdict {
  const { reported, result, now } = ended;
  const answer = answerOf(ended);
  const isLimit = answer !== null && LIMIT_AS_ANSWER.test(answer.trim());
  if (answer !== null && !isLimit) return { kind: 'ok', text: answer };
  const message = answer ?? howItEnded(ended);
  const text = answer ?? troubleOf(ended);
  const trouble = text.replace(PLACE, '…');
  if (ended.resumed && CONVERSATION.test(trouble)) return { kind: 'no_conversation', message };
  if (MONEY.test(trouble)) return { kind: 'no_money', message };
  if (isLimit || reported.limited || LIMIT.test(trouble)) {
    const ends = reported.limitEnds !== null && reported.limitEnds > now ? reported.limitEnds : resetTime(text, now);
    return { kind: 'limited', message, until: ends ?? now + GUESS_MS };
  }
  const isLogin = LOGIN.test(trouble) || (ended.preset === 'gemini' && result.exitCode === GEMINI_LOGIN_CODE);
  return { kind: isLogin ? 'not_logged_in' : 'failed', message };
}
