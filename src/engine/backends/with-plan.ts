import type { GraphBlock } from '#protocol/graph.ts';
import type { Exports } from '#protocol/payload.ts';

/** A planned path is one file, whatever is in its name. */
const asGlob = (path: string): string => path.replaceAll(/[\\$*+?.()|^{}[\]!@]/g, '\\$&');

/** A block that lists no paths of its own may write the change plan's files as well: what `Internal:UpdateChangePlan` has exported (spec/workers.md "Who may write where"). */
export function withPlan(block: GraphBlock, exports: Exports): GraphBlock {
  const { access } = block;
  const plan = exports['plan.new_files'];
  if (access.mode !== 'partial' || access.isListed === true || !Array.isArray(plan)) return block;
  const planned = plan.filter((path): path is string => typeof path === 'string' && path !== '');
  return planned.length === 0
    ? block
    : { ...block, access: { ...access, paths: [...access.paths, ...planned.map(asGlob)] } };
}
