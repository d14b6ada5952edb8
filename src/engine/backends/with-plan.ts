import { escapeGlob, globsOf } from '#machines/queue/glob-pattern.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { Exports } from '#protocol/payload.ts';

/** Does the change plan say what it may write? */
export const isPlanned = ({ access }: GraphBlock): boolean => access.mode === 'partial' && access.isListed !== true;

/**
 * A block that lists no paths of its own may write what is planned as well: what `Internal:UpdateChangePlan` has exported, each path one
 * file whatever is in its name, and the change plan of the session (spec/workers.md "Who may write where"). `plan` null: there is none.
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
