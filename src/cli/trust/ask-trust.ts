import { realpath } from 'node:fs/promises';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless, styleFor } from '../print/style.ts';
import { isTrusted } from '#engine/authoring.ts';
import { trustHash, whatWouldRun, type Executable } from '#engine/authoring.ts';
import { remember } from './remember.ts';

/** May this project run its commands and call its models? Asks once on a terminal; `--trust` says yes. */
export async function askTrust(graph: Graph | null, root: string, given: boolean, io: CliIo): Promise<boolean> {
  const place = await realpath(root);
  const executables = await whatWouldRun(graph, place);
  if (executables.length === 0) return true;
  const hash = trustHash(place, executables);
  if (await isTrusted(hash, io.env)) return true;
  if (!given) {
    list(executables, io);
    if (!io.interactive || !(await confirmTrust('Do you trust it? This is asked once, until this list changes.')))
      return false;
  }
  await remember(hash, place, io);
  return true;
}

function list(executables: readonly Executable[], io: CliIo): void {
  const { paint } = styleFor(io.stderr, io);
  io.stderr.write(`${paint.bold('This project wants to run or call:')}\n`);
  for (const { what, command } of executables)
    io.stderr.write(`  ${paint.cyan(harmless(command).replaceAll('\n', ' '))}  ${paint.dim(harmless(what))}\n`);
  io.stderr.write('\n');
}

export async function confirmTrust(message: string): Promise<boolean> {
  const [clack, { personStreams }] = await Promise.all([
    import('@clack/prompts'),
    import('../terminal/person-streams.ts'),
  ]);
  const answer = await clack.confirm({ message: harmless(message), initialValue: false, ...personStreams() });
  return answer === true;
}
