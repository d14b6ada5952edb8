import { createRMcpServerManager, type RMcpServerManager } from '#actors/code-analysis/index.ts';
import { createServerLog, serverLogFile } from '#io/code-analysis/server-log.ts';
import { findServerProgram } from '#io/code-analysis/server-program.ts';
import { startServer } from '#io/code-analysis/start-server.ts';
import { createOutbound } from '#io/project/outbound-rules.ts';
import type { ProcessRegister } from '#protocol/process-identity.ts';
import { ContextPartitionerService } from './context-partitioner-service.ts';

interface ProjectContextParts {
  readonly root: string;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly register: ProcessRegister;
  readonly now: () => number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reports a root actor and all actors that it starts to inspectors. Absent if there can be no inspectors. */
  readonly observe?: (name: string, root: object) => void;
}

interface ProjectContext {
  readonly servers: RMcpServerManager;
  readonly queries: ContextPartitionerService;
}

/** Creates the code analysis of one project's worktrees. No server is started before the first use. */
export function createProjectContext({
  root,
  folder,
  register,
  now,
  environment,
  observe,
}: ProjectContextParts): ProjectContext {
  const servers = createRMcpServerManager({
    start: async (worktree) => {
      const program = await findServerProgram(environment);
      if (program.kind === 'none') return { missing: program.message };
      const log = createServerLog(serverLogFile(folder), worktree, now);
      return startServer({ program, worktree, log, register });
    },
    observe: (actor) => observe?.('code analysis servers', actor),
  });
  const queries = new ContextPartitionerService({ servers, outbound: (worktree) => createOutbound(root, worktree) });
  return { servers, queries };
}
