import type { CliIo } from '../terminal/cli-io.ts';
import { queueReason } from '../run/begin-in-session.ts';
import { afterOf, priorityOf } from '../sessions/order-session.ts';
import { printSessionChange, withSession } from '../sessions/with-sessions.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface SessionsChangeOptions {
  readonly title?: string;
  readonly plan?: readonly string[];
  readonly priority?: string;
  readonly after?: readonly string[];
  readonly base?: string;
  readonly json?: true;
}

/**
 * Parses `--plan`. The single word `none` removes all files from the plan; a file with that name is written as
 * `./none`.
 */
const planOf = (plan: readonly string[]): readonly string[] => (plan.length === 1 && plan[0] === 'none' ? [] : plan);

/** Changes the properties of a session that may change at any time. */
export function sessionsChange(name: string, options: SessionsChangeOptions, io: CliIo): Promise<number> {
  const { title, plan, priority, after, base } = options;
  if ([title, plan, priority, after, base].every((change) => change === undefined))
    throw usageError('Choose what to change: --title, --plan, --priority, --after or --base.', [
      'robosmith sessions change --help',
    ]);
  return withSession(name, options, io, async ({ id }, { api, root, sessions }) => {
    const changed = await api.change(id, {
      ...(title === undefined ? {} : { title }),
      ...(plan === undefined ? {} : { plan: planOf(plan) }),
      ...(priority === undefined ? {} : { priority: priorityOf(priority, 'change') }),
      ...(after === undefined ? {} : { after: afterOf(after, sessions) }),
      ...(base === undefined ? {} : { base }),
    });
    const waits = await queueReason(changed, root);
    return printSessionChange(changed, 'is changed', waits === null ? [] : [waits], options, io);
  });
}
