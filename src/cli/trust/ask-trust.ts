import { realpath } from 'node:fs/promises';
import type { Graph } from '#protocol/graph.ts';
import {
  type Executable,
  isTrusted,
  mayVerify,
  trustHash,
  listVerifyingCommands,
  listExecutables,
} from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless, styleFor } from '../print/style.ts';
import { remember } from './remember.ts';
import { showsAll } from './shows-all.ts';

/** Asks once on a terminal whether this project is trusted to run its commands and call its models; `--trust` says yes. */
export async function askTrust(graph: Graph | null, root: string, given: boolean, io: CliIo): Promise<boolean> {
  const place = await realpath(root);
  return askFor(await listExecutables(graph, place), place, given, io);
}

/** Asks once whether the command that verifies a merge is trusted. */
export async function askVerifying(
  graph: Graph,
  root: string,
  { given, isAsked }: { readonly given: boolean; readonly isAsked: boolean },
  io: CliIo,
): Promise<boolean> {
  const place = await realpath(root);
  if (await mayVerify(graph, place, io.env, isAsked)) return true;
  return askFor(await listVerifyingCommands(graph, place, isAsked), place, given, io);
}

async function askFor(list: readonly Executable[], place: string, given: boolean, io: CliIo): Promise<boolean> {
  if (list.length === 0) return true;
  const hash = trustHash(place, list);
  if (await isTrusted(hash, io.env)) return true;
  if (!given) {
    print(list, io);
    if (!io.interactive || !(await confirmTrust('Do you trust it? You are asked again only when this list changes.')))
      return false;
  }
  await remember(hash, place, io);
  return true;
}

export function print(list: readonly Executable[], io: CliIo): void {
  const { paint } = styleFor(io.stderr, io);
  io.stderr.write(`${paint.bold('This project wants to run, call or send:')}\n`);
  const width = String(list.length).length;
  for (const [index, { what, command }] of list.entries()) {
    const number = String(index + 1).padStart(width);
    io.stderr.write(`  ${paint.dim(`${number}.`)} ${paint.cyan(showsAll(command))}  ${paint.dim(showsAll(what))}\n`);
  }
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
