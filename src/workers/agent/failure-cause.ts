import type { AgentName } from '#protocol/approvals.ts';

/** A reason for which an agent fails whatever its task is. */
export type FailureCause = 'not_logged_in' | 'no_money' | 'limited' | 'no_conversation';

/** Returns the cause that an HTTP status of the model's endpoint stands for, or null for any other failure. */
export const causeOfStatus = (status: number | null): FailureCause | null =>
  status === 401 ? 'not_logged_in' : status === 402 ? 'no_money' : status === 429 ? 'limited' : null;

/**
 * The messages of each program about itself, matched from their first character. A text of the task, which may be about
 * logins and limits as well, does not begin like one of them.
 */
const MESSAGES: Readonly<Record<AgentName, readonly (readonly [RegExp, FailureCause])[]>> = {
  claude: [
    [/^(?:Invalid API key|Not logged in|OAuth token (?:has expired|revoked))(?: ·|\.|$)/, 'not_logged_in'],
    [/^Credit balance is too low$/, 'no_money'],
    [/^(?:Claude AI usage limit reached\|\d{10}|You've hit your [\w -]*limit\b.{0,80})$/, 'limited'],
    [/^No conversation found with session ID: \S+$/, 'no_conversation'],
  ],
  codex: [
    [/^(?:unexpected status|exceeded retry limit, last status:) 401\b/, 'not_logged_in'],
    [/^(?:Not logged in\b|Missing environment variable: |Your (?:access|refresh) token )/, 'not_logged_in'],
    [/^Your authentication session could not be refreshed/, 'not_logged_in'],
    [/^(?:Quota exceeded\. Check your plan|unexpected status 402\b)/, 'no_money'],
    [/^(?:unexpected status|exceeded retry limit, last status:) 429\b/, 'limited'],
    [/^(?:You've hit your usage limit|stream disconnected before completion: Rate limit reached)/, 'limited'],
    [/^(?:thread\/resume: )?(?:thread\/resume failed: )?no rollout found for /, 'no_conversation'],
  ],
  gemini: [
    [/^(?:Please set an Auth method|When using (?:Gemini API|Vertex AI), you must specify)/, 'not_logged_in'],
    [/^\[API Error: You have exhausted your (?:daily |current )?(?:capacity|quota)/, 'limited'],
    [/^You have exhausted your (?:daily |current )?(?:capacity|quota)/, 'limited'],
    [/^(?:resuming session: )?(?:Invalid session identifier|No previous sessions found)/, 'no_conversation'],
  ],
};

/** Returns the cause of a failure that the program itself has reported as a message, or null. */
export function causeOfMessage(agent: AgentName, message: string): FailureCause | null {
  const text = message.trim().replace(/^Error:? /, '');
  return MESSAGES[agent].find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** Exit codes of Gemini CLI: its own code for a missing login, and HTTP statuses modulo 256. */
const GEMINI_EXITS: Readonly<Record<number, FailureCause>> = {
  41: 'not_logged_in',
  [401 % 256]: 'not_logged_in',
  [402 % 256]: 'no_money',
  [429 % 256]: 'limited',
};

export const causeOfExit = (agent: AgentName, code: number | null): FailureCause | null =>
  agent === 'gemini' && code !== null ? (GEMINI_EXITS[code] ?? null) : null;
