import { storedSessionOf } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import { fromHere } from '../names/command-from-here.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { printNext } from '../print/problem.ts';
import { printResponse } from '../print/response.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { DoScreen } from './do-screen.ts';

/** Says that the work goes on without this command, how to see it again, and how to stop it. */
function printLeft(response: Response, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const { run, next } = response.details;
  io.stderr.write(`${paint.yellow(symbols.halt)} It goes on in the background, and everything so far is kept.\n`);
  if (typeof run !== 'string') return printNext(Array.isArray(next) ? next.map(String) : [], io);
  const rows = [
    ['see it again', `robosmith resume ${run}`],
    ['stop it', `robosmith runs stop ${run}`],
  ] as const;
  io.stderr.write('\n');
  for (const [what, command] of rows) io.stderr.write(`  ${what.padEnd(12)}   ${paint.cyan(fromHere(command, io))}\n`);
}

interface EndedTask {
  readonly graph: Graph;
  readonly root: string;
  readonly screen: DoScreen;
  /** Lands the work of a session. */
  readonly land: (id: SessionId) => Promise<number>;
}

/** Ends the command as the task stands: lands the work if the person has chosen so, or says what comes next. */
export async function endDo(response: Response, { graph, root, screen, land }: EndedTask, io: CliIo): Promise<number> {
  const { run_id: run } = response.metadata;
  const session = run === null ? null : storedSessionOf(root, run);
  if (response.reason === 'halted') {
    await screen.printHalts(response);
    return exitCode(response);
  }
  if (response.success && session !== null) {
    if (screen.isLanding()) return land(session.id);
    const { paint, symbols } = styleFor(io.stderr, io);
    io.stderr.write(`${paint.green(symbols.ok)} ${paint.bold(harmless(session.title))} is accepted.\n`);
    printNext([`robosmith sessions merge ${session.id}`], io);
    return 0;
  }
  if (response.details['detached'] === true) printLeft(response, io);
  else {
    const kept = run === null ? null : storedRunCommands(run, null, io);
    printResponse(response, { manifest: undefined, kept, graph, shownFile: (file) => file, explained: new Set() }, io);
  }
  return exitCode(response);
}
