import type { Segment } from '#protocol/payload.ts';
import type { Frame } from './state.ts';
import { keepReturned } from './keep-returned.ts';
import { appendSegments, continues, payloadOf } from './payload-log.ts';

/** Replaces the caller's payload and exports by what a CALL returned. */
export function takeReturn(caller: Frame, child: Frame): void {
  caller.payload = child.payload;
  caller.exports = child.exports;
  keepReturned(caller, [child]);
  if (Object.keys(child.written).length > 0) caller.written = Object.freeze({ ...caller.written, ...child.written });
}

function news(caller: Frame, branch: Frame): readonly Segment[] {
  if (continues(branch.payload, caller.payload))
    return branch.payload.log.slice(caller.payload.length, branch.payload.length);
  const known = new Set<string>(payloadOf(caller.payload).map((segment) => segment.id));
  return payloadOf(branch.payload).filter((segment) => !known.has(segment.id));
}

/**
 * Joins the branches of a FORK in written order: new segments after the caller's payload, then each branch's exports.
 */
export function joinBranches(caller: Frame): void {
  const branches = caller.branches.filter((branch) => branch !== null);
  const added = branches.map((branch) => news(caller, branch));
  for (const segments of added) caller.payload = appendSegments(caller.payload, segments);
  for (const { written } of branches) {
    if (Object.keys(written).length === 0) continue;
    caller.exports = Object.freeze({ ...caller.exports, ...written });
    caller.written = Object.freeze({ ...caller.written, ...written });
  }
  keepReturned(caller, branches);
  caller.branches = [];
}
