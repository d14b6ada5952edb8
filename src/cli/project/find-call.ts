import { projectCall } from '#engine/authoring.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { usageError } from '../terminal/usage-error.ts';

/** The maximum number of ids listed in a message. */
const MOST = 5;

/** Returns the call with this id or unique prefix. */
export function findCall(text: string, root: string): CallRecord {
  const found = projectCall(root, text);
  const next = ['robosmith calls'];
  if (found.kind === 'read') return found.record;
  if (found.kind === 'missing')
    throw usageError(
      `There is no call "${text}" in this project's log. It may have been removed by \`robosmith runs prune\`.`,
      next,
    );
  if (found.kind === 'damaged')
    throw new RoboSmithError('io', `${found.file} can't be read as a call: ${found.why}.`, { next });
  const some = found.calls.slice(0, MOST).join(', ');
  throw usageError(
    `"${text}" is the beginning of ${found.calls.length} calls (${some}${found.calls.length > MOST ? ', …' : ''}): type more characters.`,
    next,
  );
}
