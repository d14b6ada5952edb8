import type { ViewFrame } from '#protocol/generated/view.gen.ts';

/** A part of the breadcrumb line: a node, a block, or the choice between the branches of a FORK. */
export type Crumb =
  | { readonly kind: 'node'; readonly node: string }
  | { readonly kind: 'block'; readonly block: string }
  | { readonly kind: 'branches'; readonly chosen: string | null; readonly branches: readonly ViewFrame[] };

const leavesUnder = (frames: readonly ViewFrame[], frame: ViewFrame): readonly ViewFrame[] => {
  const children = frames.filter((other) => other.parent === frame.frame);
  return children.length === 0 ? [frame] : children.flatMap((child) => leavesUnder(frames, child));
};

/** Returns the innermost frames: those in which a block executes or waits. */
export const leavesOf = (frames: readonly ViewFrame[]): readonly ViewFrame[] =>
  frames.filter((frame) => !frames.some((other) => other.parent === frame.frame));

/**
 * Returns the breadcrumbs from the root frame to a leaf frame. At a FORK they follow the chosen branch; if none is
 * chosen, they end there.
 */
export function crumbsOf(frames: readonly ViewFrame[], chosen: string | null): readonly Crumb[] {
  const crumbs: Crumb[] = [];
  let frame = frames.find((one) => one.parent === null || !frames.some((other) => other.frame === one.parent));
  for (let bound = frames.length; frame !== undefined && bound > 0; bound -= 1) {
    const { frame: id, node, block } = frame;
    crumbs.push({ kind: 'node', node }, { kind: 'block', block });
    const children = frames.filter((other) => other.parent === id);
    if (children.length < 2) {
      frame = children[0];
      continue;
    }
    const next = children.find(
      (child) => leavesUnder(frames, child).some((leaf) => leaf.frame === chosen) || child.frame === chosen,
    );
    crumbs.push({ kind: 'branches', chosen: next?.frame ?? null, branches: children });
    frame = next;
  }
  return crumbs;
}
