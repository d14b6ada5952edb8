import { AGENT_PRESETS, findSandboxMaker } from '#engine/authoring.ts';
import { AGENTS } from '#protocol/approvals.ts';
import type { Graph } from '#protocol/graph.ts';
import { sandboxTrouble } from '#protocol/sandbox.ts';
import type { Check } from '../print/json-documents.ts';
import type { CheckedManifest } from './check-manifest.ts';
import { ok, warn } from './check.ts';

/** Returns whether the manifest has an agent, or a command that it puts into a sandbox. */
const mayUseSandbox = ({ workers, nodes }: Graph): boolean =>
  workers.some(({ kind, settings }) => kind === 'agent' || settings['sandbox'] !== undefined) ||
  nodes.some(({ blocks }) =>
    blocks.some(
      ({ params, evidence }) =>
        params['sandbox'] !== undefined || evidence.some((one) => one.kind === 'command' && one.sandbox === true),
    ),
  );

/** Checks whether agents can work in a sandbox here, by making one. Says what installing it would allow. */
export async function checkSandbox({ workflow }: CheckedManifest): Promise<readonly Check[]> {
  if (workflow === null || !mayUseSandbox(workflow.graph)) return [];
  const probe = await findSandboxMaker();
  if (!probe.ok)
    return [
      warn(
        'sandbox',
        `no sandbox: ${probe.problem}`,
        `${probe.advice} Then claude can run the tests that it has to make pass, without access to your keys.`,
      ),
    ];
  const used = AGENTS.filter((agent) => workflow.graph.workers.some(({ settings }) => settings['preset'] === agent));
  const troubles = used.flatMap((agent) => {
    const trouble = sandboxTrouble(probe, agent);
    return trouble === null ? [] : [warn('sandbox', `no sandbox for ${agent}: ${trouble.problem}`, trouble.advice)];
  });
  const inIt = used.filter((agent) => AGENT_PRESETS[agent].closesNetwork && sandboxTrouble(probe, agent) === null);
  const unless =
    inIt.length === 0 ? '' : `; ${inIt.join(' and ')} run commands in it, unless "approvals" says otherwise`;
  return [ok('sandbox', `a sandbox can be made (${probe.maker})${unless}`), ...troubles];
}
