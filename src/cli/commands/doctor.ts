import type { CliIo } from '../terminal/cli-io.ts';
import { checkAgents } from '../doctor/check-agents.ts';
import { checkCommands } from '../doctor/check-commands.ts';
import { checkDependencies } from '../doctor/check-dependencies.ts';
import { checkEngine } from '../doctor/check-engine.ts';
import { checkGit } from '../doctor/check-git.ts';
import { checkKeys } from '../doctor/check-keys.ts';
import { checkManifest } from '../doctor/check-manifest.ts';
import { checkNode } from '../doctor/check-node.ts';
import { checkRegistry } from '../doctor/check-registry.ts';
import { checkRoot } from '../doctor/check-root.ts';
import { checkSecrets } from '../doctor/check-secrets.ts';
import { checkTrust } from '../doctor/check-trust.ts';
import { checkPlace, checkWorktrees } from '../doctor/check-worktrees.ts';
import type { Check } from '../doctor/check.ts';
import { printChecks } from '../doctor/print-checks.ts';
import { printJson } from '../print/json.ts';

export interface DoctorOptions {
  readonly manifest?: string;
  readonly json?: true;
}

/** Checks the environment and the project. Changes nothing; the only programs started are agents, for their version. */
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
