import path from 'node:path';
import type { SessionId } from '#protocol/id.ts';
import type { Start } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionOrder } from '#protocol/session-api.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { findSession } from './find-session.ts';

export interface OrderFlags {
  readonly plan?: readonly string[];
  readonly priority?: string;
  readonly after?: readonly string[];
  readonly base?: string;
  readonly attach?: string;
  readonly input?: readonly string[];
  readonly script?: string;
  readonly step?: true;
}

/** Parses a priority, an integer from 1; null if none is given. */
export function priorityOf(text: string | undefined, verb: 'new' | 'change'): number | null {
  if (text === undefined || text === 'none') return null;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usageError(`--priority is a whole number from 1 on, or none; not "${text}".`, [
    `robosmith sessions ${verb} --help`,
  ]);
}

/** Parses `--after`. The single word `none` removes all dependencies. */
export const afterOf = (names: readonly string[], sessions: readonly Session[]): readonly SessionId[] =>
  names.length === 1 && names[0] === 'none' ? [] : names.map((name) => findSession(name, sessions).id);

/** Returns the order from which a session is created. `start` is null if a person works in the session. */
export function orderSession(
  title: string,
  start: { readonly at: Start; readonly manifest: string; readonly input: string | null } | null,
  flags: OrderFlags,
  sessions: readonly Session[],
  io: CliIo,
): SessionOrder {
  const { plan = [], after = [], base = null, attach = null, script, step } = flags;
  const job =
    start === null
      ? null
      : {
          start: start.at,
          manifest: start.manifest,
          input: start.input,
          script: script === undefined ? null : path.resolve(io.cwd, script),
          stepMode: step === true,
        };
  return {
    title,
    job,
    plan,
    base,
    attach,
    priority: priorityOf(flags.priority, 'new'),
    after: afterOf(after, sessions),
    isDraft: false,
  };
}
