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
import type { Check, Repair } from '../print/json-documents.ts';
import { printChecks } from '../doctor/print-checks.ts';
import { printJson } from '../print/json.ts';
import { repair, repairsOf } from '../doctor/repair.ts';
import { usageError } from '../terminal/usage-error.ts';

const REPAIRS: Readonly<Record<Repair, (io: CliIo) => Promise<number>>> = {
  init: async (io) => (await import('./init.ts')).init({}, io),
  'worktrees clean --yes': async (io) => (await import('./worktrees-clean.ts')).worktreesClean({ yes: true }, io),
};

export interface DoctorOptions {
  readonly manifest?: string;
  readonly fix?: true;
  readonly yes?: true;
  readonly json?: true;
}

/**
 * Checks the environment and the project, and with `--fix` repairs what it can. Without it nothing is changed; the only
 * programs started are git and agents, for their versions, and one that does nothing, in a sandbox.
 */
export async function doctor(options: DoctorOptions, io: CliIo): Promise<number> {
  const { fix, yes, json } = options;
  if (yes === true && fix !== true) throw usageError('--yes belongs to --fix.', ['robosmith doctor --help']);
  if (json === true && fix === true)
    throw usageError("--fix and --json can't be combined.", ['robosmith doctor --help']);
  const checks = await checkAll(options, io);
  const commands = fix === true ? repairsOf(checks) : [];
  if (json === true) printJson({ ok: isWell(checks), checks }, io.stdout);
  else printChecks(checks, io);
  if (fix === true && commands.length === 0) io.stderr.write('There is nothing that doctor can repair.\n');
  if (
    commands.length === 0 ||
    !(await repair(commands, { isAgreed: yes === true, execute: (one) => REPAIRS[one](io) }, io))
  )
    return isWell(checks) ? 0 : 1;
  const after = await checkAll(options, io);
  printChecks(after, io);
  return isWell(after) ? 0 : 1;
}

const isWell = (checks: readonly Check[]): boolean => !checks.some(({ status }) => status === 'fail');

async function checkAll(options: DoctorOptions, io: CliIo): Promise<readonly Check[]> {
  const root = await checkRoot(io);
  const manifest = await checkManifest(options.manifest, root.folder, io);
  return [
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
}
