import { AGENT_PRESETS } from '#engine/authoring.ts';
import { AGENTS, type AgentName } from '#protocol/approvals.ts';
import type { WorkerDefinition } from '#protocol/graph.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { CheckedManifest } from './check-manifest.ts';
import { ok, warn } from './check.ts';
import type { Check } from '../print/json-documents.ts';
import { findProgram } from './check-programs.ts';

/** Returns the version that an agent's program reports, or null. */
async function versionOf(file: string, io: CliIo): Promise<string | null> {
  const { execa } = await import('execa');
  const options = {
    timeout: 10_000,
    env: childEnvironment(io),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  } as const;
  const { failed, stdout } = await execa(file, ['--version'], options);
  return failed ? null : (/\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? null);
}

const isAgent = ({ kind }: WorkerDefinition): boolean => kind === 'agent';

/** Returns the preset that a worker of kind `agent` names. */
const presetOf = ({ settings }: WorkerDefinition): unknown =>
  settings['command'] === undefined ? settings['preset'] : null;

async function checkPreset(name: AgentName, users: readonly WorkerDefinition[], io: CliIo): Promise<readonly Check[]> {
  const { program, install } = AGENT_PRESETS[name];
  const used = users.map((worker) => worker.name).join(', ');
  const file = await findProgram(program, io.cwd, io);
  const version = file === null ? null : await versionOf(file, io);
  if (version !== null) return [ok('agent', `${name} ${version}${used === '' ? '' : ` (for ${used})`}`)];
  return used === '' ? [] : [warn('agent', `${name}, for ${used}, was not found`, `To install it: ${install}`)];
}

/**
 * Checks which coding agents are installed, and whether the agents that the manifest uses are among them. Starts them
 * only with `--version`.
 */
export async function checkAgents(
  { workflow }: CheckedManifest,
  root: string | null,
  io: CliIo,
): Promise<readonly Check[]> {
  const workers = (workflow?.graph.workers ?? []).filter(isAgent);
  const presets = await Promise.all(
    AGENTS.map((name) =>
      checkPreset(
        name,
        workers.filter((worker) => presetOf(worker) === name),
        io,
      ),
    ),
  );
  const own = await Promise.all(
    workers.map(async ({ name, settings }): Promise<readonly Check[]> => {
      const { command } = settings;
      const program: unknown = Array.isArray(command) ? command[0] : null;
      if (typeof program !== 'string') return [];
      return (await findProgram(program, root ?? io.cwd, io)) !== null
        ? [ok('agent', `${name}: ${program}`)]
        : [warn('agent', `${name}: ${program}`, `The program "${program}" was not found.`)];
    }),
  );
  return [...presets.flat(), ...own.flat()];
}
