import { findManifest, loadManifest } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless, styleFor } from '../print/style.ts';
import { findStart } from '../run/find-start.ts';

/** Returns what is wrong with the node that a task names; null if nothing is, or if the manifest has errors. */
async function faultOf(node: string, root: string, io: CliIo): Promise<string | null> {
  const file = (await findManifest(io.cwd)) ?? (await findManifest(root));
  if (file === null) return `There is no .vision/workflows.json that could define the node "${node}".`;
  const workflow = (await loadManifest(file, { root }))?.compilation.workflow ?? null;
  const found = workflow === null ? null : findStart(node, workflow.graph);
  return found !== null && 'message' in found ? found.message : null;
}

/** Warns if the manifest lacks the task's node. The task is kept, because a plan may be ahead of its manifest. */
export async function warnOfNode(node: string, root: string, io: CliIo): Promise<void> {
  const fault = await faultOf(node, root, io);
  if (fault === null) return;
  const { paint, symbols } = styleFor(io.stderr, io);
  const text = `${fault} Until this is fixed, robosmith next can't run this task.`;
  io.stderr.write(`${paint.yellow(`${symbols.warn} ${harmless(text)}`)}\n`);
}
