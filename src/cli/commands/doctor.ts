import type { CliIo } from '../terminal/cli-io.ts';
import { checkAgents } from '../doctor/check-agents.ts';
import { checkAnalysis, checkDependencies, checkRegistry } from '../doctor/check-dependencies.ts';
import { checkCommands, checkGit, checkNode } from '../doctor/check-programs.ts';
import { checkEngine } from '../doctor/check-engine.ts';
import { checkKeys, checkSecrets } from '../doctor/check-keys.ts';
import { checkManifest } from '../doctor/check-manifest.ts';
import { checkSandbox } from '../doctor/check-sandbox.ts';
import { checkRoot } from '../doctor/check-root.ts';
import { checkTrust } from '../doctor/check-trust.ts';
import { checkPlace, checkWorktrees } from '../doctor/check-worktrees.ts';
import type { Check } from '../print/json-documents.ts';
import { printChecks } from '../doctor/print-checks.ts';
import { printJson } from '../print/json.ts';

export interface DoctorOptions {
  readonly manifest?: string;
  readonly json?: true;
}

/**
 * Checks the environment and the project. Changes nothing; the only programs started are git and agents, for their
 * versions, and one that does nothing, in a sandbox.
 */
export async function doctor(options: DoctorOptions, io: CliIo): Promise<number> {
  const root = await checkRoot(io);
  const manifest = await checkManifest(options.manifest, root.folder, io);
  const checks: readonly Check[] = [
    checkNode(io),
    await checkGit(io),
    root.check,
    ...(await checkRegistry(root.folder)),
    ...manifest.checks,
    ...(await checkCommands(manifest, root.folder, io)),
    ...(await checkDependencies(manifest, root.folder)),
    ...(await checkAgents(manifest, root.folder, io)),
    ...(await checkSandbox(manifest)),
    await checkAnalysis(manifest, io),
    ...(await checkKeys(manifest.workflow, root.folder, io)),
    checkSecrets(io),
    ...(await checkTrust(manifest.workflow, root.folder, io)),
    ...(await checkEngine(root.folder)),
    ...(await checkPlace(root.folder, io)),
    ...(await checkWorktrees(root.folder)),
  ];
  const ok = !checks.some(({ status }) => status === 'fail');
  if (options.json === true) printJson({ ok, checks }, io.stdout);
  else printChecks(checks, io);
  return ok ? 0 : 1;
}
