import path from 'node:path';
import { wallClock } from '#io/clock/clock.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { hooksFolder } from '#io/git/plumbing/hooks-folder.ts';
import { createFiles } from '#io/transactions/files.ts';
import { newId, random } from '#io/clock/identity.ts';
import { createOutbound } from '#io/project/outbound-rules.ts';
import { createProcesses, type RedactOutput } from '#io/process/process.ts';
import { wrapProcess } from '#io/sandbox/wrap-process.ts';
import type { AgentCalls } from '#protocol/agent.ts';
import type { Environment } from '#protocol/environment.ts';
import type { ModelCalls } from '#protocol/ai-service.ts';
import type { ProcessRegister } from '#protocol/process-identity.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Files } from '#protocol/services.ts';

const git = createGit(createProcesses());

const filesOf = (directory: string): Files => ({
  ...createFiles(directory),
  hooksFolder: () => hooksFolder(git, directory),
});

/** Returns the real ports for one absolute directory. `project`: the project whose rules decide what may be sent. */
export const realPorts = (
  directory: string,
  register?: ProcessRegister,
  models?: ModelCalls,
  agents?: AgentCalls,
  project = directory,
  redactOutput?: RedactOutput,
  environment?: Environment,
): RunPorts => ({
  clock: wallClock,
  random,
  newId,
  files: filesOf(path.resolve(directory)),
  outbound: createOutbound(path.resolve(project), path.resolve(directory)),
  processes: createProcesses(
    register,
    redactOutput,
    environment === undefined ? undefined : () => environment,
    wrapProcess,
  ),
  ...(models === undefined ? {} : { models }),
  ...(agents === undefined ? {} : { agents }),
});
