import path from 'node:path';
import { createRMcpServerManager } from '../../../../src/actors/code-analysis/index.ts';
import { createServerLog } from '../../../../src/io/code-analysis/server-log.ts';
import { findServerProgram } from '../../../../src/io/code-analysis/server-program.ts';
import { startServer } from '../../../../src/io/code-analysis/start-server.ts';

/*
 * Starts the real analysis server for the folder given as its argument, prints the server's process id, and waits to be
 * killed.
 */

const folder = process.argv[2] ?? '';
const program = await findServerProgram({});
if (program.kind === 'none') throw new Error(program.message);
const started: number[] = [];
const manager = createRMcpServerManager({
  start: (worktree) =>
    Promise.resolve(
      startServer({
        worktree,
        program: { ...program, args: [...program.args, '--cache', path.join(folder, 'cache')] },
        log: createServerLog(path.join(folder, 'server.log'), worktree, () => 0),
        register: { begin: () => ({ started: (pid) => void started.push(pid), ended: () => undefined }) },
      }),
    ),
});
manager.hold(folder);
await manager.call(folder, { tool: 'get_status', args: {} }, new AbortController().signal);
process.stdout.write(`${started.join(' ')}\n`);
