import { AGENT_PRESETS } from '#engine/authoring.ts';
import { AGENTS, type AgentName } from '#protocol/approvals.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { findProgram } from './check-programs.ts';

/** Returns whether the program of a coding agent is found. */
export const isInstalled = async (name: AgentName, io: CliIo): Promise<boolean> =>
  (await findProgram(AGENT_PRESETS[name].program, io.cwd, io)) !== null;

/** Returns the first agent of the list that is installed, or null if none is. */
export async function firstInstalled(io: CliIo): Promise<AgentName | null> {
  for (const name of AGENTS) if (await isInstalled(name, io)) return name;
  return null;
}
