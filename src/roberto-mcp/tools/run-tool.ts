import { findChangesAmong } from '../index/find-changes.ts';
import { answerKey } from './answer-cache.ts';
import { isDamage } from '../store/open-database.ts';
import { type Tool, type ToolContext, ToolFailure } from './tool.ts';
import type { ToolAnswer } from './bound-answer.ts';

/**
 * Maximum number of times that the tool is run. If files keep changing, the answer reflects the last comparison with
 * the disk.
 */
const MAX_TRIES = 4;

const stopIfCancelled = ({ signal }: ToolContext): void => {
  if (signal.aborted) throw new ToolFailure('cancelled', 'The call was cancelled.');
};

function whenCancelled(signal: AbortSignal): { readonly promise: Promise<never>; readonly release: () => void } {
  let release = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(new ToolFailure('cancelled', 'The call was cancelled.'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    release = () => signal.removeEventListener('abort', onAbort);
  });
  promise.catch(() => undefined);
  return { promise, release };
}

/**
 * Runs a tool on an up-to-date index. Afterwards the files shown in the answer are compared with the disk again; if one
 * has changed, the tool runs again.
 */
export async function runTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolAnswer> {
  const cancelled = whenCancelled(context.signal);
  const release = context.worktree.onProgress(({ done, total }) => context.report(done, total));
  try {
    return await Promise.race([runFresh(tool, args, context), cancelled.promise]);
  } finally {
    release();
    cancelled.release();
  }
}

/** Returns the answer for the current content of the worktree. Uses the cached answer if nothing has changed since. */
async function answerOf(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolAnswer> {
  if (tool.isCacheable !== true) return tool.run(args, context);
  const { answers, worktree } = context;
  const key = answerKey(tool.name, args);
  const version = worktree.files.version();
  const known = answers.get(key, version);
  if (known !== undefined) return known;
  const answer = await tool.run(args, context);
  if (worktree.files.version() === version) answers.set(key, version, answer);
  return answer;
}

async function runFresh(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolAnswer> {
  const { worktree } = context;
  for (let tries = 1; ; tries += 1) {
    stopIfCancelled(context);
    try {
      if (tool.skipsFreshening !== true) await worktree.freshen();
      stopIfCancelled(context);
      const answer = await answerOf(tool, args, context);
      const { changed, gone } = findChangesAmong(worktree.root, answer.paths, worktree.files);
      const stale = [...changed.filter((path) => worktree.files.get(path)?.racy !== true), ...gone];
      if (stale.length === 0 || tries >= MAX_TRIES) return answer;
      worktree.doubt(stale);
    } catch (error) {
      if (!isDamage(error) || tries >= MAX_TRIES) throw error;
      await worktree.rebuild();
    }
  }
}
