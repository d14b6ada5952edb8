import { escapeGlob, globsOf } from '#machines/queue/glob-pattern.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { Exports } from '#protocol/payload.ts';

/** Returns whether the change plan determines what the block may write. */
export const isPlanned = ({ access }: GraphBlock): boolean => access.mode === 'partial' && access.isListed !== true;

/**
 * Adds planned files to a block that lists no paths of its own: those that `Internal:UpdateChangePlan` has exported,
 * each a literal path, and the change plan of the session. `plan` is null outside of a session.
 */
export function withPlan(block: GraphBlock, exports: Exports, plan: readonly string[] | null): GraphBlock {
  if (!isPlanned(block)) return block;
  const { access } = block;
  const found = exports['plan.new_files'];
  const identified = (Array.isArray(found) ? found : []).filter(
    (path): path is string => typeof path === 'string' && path !== '' && plan?.includes(path) !== true,
  );
  if (identified.length === 0 && plan === null) return block;
  const paths = [...access.paths, ...identified.map(escapeGlob)];
  const session = plan === null ? {} : { plan: { written: plan, globs: plan.flatMap(globsOf) } };
  return { ...block, access: { ...access, paths, ...session } };
}
