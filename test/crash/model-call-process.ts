import path from 'node:path';
import { openEngine, projectRuns } from '#engine/index.ts';
import { loadManifest } from '#engine/authoring.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { NodeId } from '#protocol/id.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import { deadlyFileCalls } from './deadly-file-calls.ts';
import { createKillSwitch } from './kill-switch.ts';

/*
 * Starts a run of the project's node `Main`, or resumes the existing one, in a process that kills itself at the n-th
 * write. The second argument is n.
 */

const [root = '', killAt = ''] = process.argv.slice(2);
const { reach, points } = createKillSwitch(killAt === '' ? null : Number(killAt));

const opened = openEngine(root, {
  warn: (message) => void process.stderr.write(`${message}\n`),
  calls: deadlyFileCalls(fileCalls, reach),
});
if (!opened.ok) throw new Error('the engine is busy');
const { engine } = opened;

const onEvent = ({ type }: RoboSmithEvent): void => {
  if (type === 'block.progress') process.stderr.write('the answer has begun\n');
};

async function begin() {
  const [known] = projectRuns(root).flatMap((one) => (one.kind === 'run' ? [one.summary.run] : []));
  if (known !== undefined) return engine.resume(known, root, { onEvent });
  const loaded = await loadManifest(path.join(root, '.vision', 'workflows.json'), { root });
  const workflow = loaded?.compilation.workflow ?? null;
  if (workflow === null) throw new Error(JSON.stringify(loaded?.compilation.diagnostics));
  return engine.start(workflow, { start: { node: 'Main' as NodeId }, onEvent }, root);
}

const run = await begin();
const { reason, data, metadata } = await run.settled();
const { tokens, cost, cost_at_least: atLeast } = metadata;
const microUsd = cost === null ? null : Math.round(cost * 1e6);
const spent = { tokens, microUsd, ...(atLeast === true ? { atLeast } : {}) };
const content = data.payload.at(-1)?.content ?? '';
engine.close();
process.stdout.write(`${JSON.stringify({ reason, content, points, spent })}\n`);
