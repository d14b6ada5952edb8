import { realpath } from 'node:fs/promises';
import type { Graph } from '#protocol/graph.ts';
import {
  type Executable,
  isTrusted,
  mayVerify,
  tearDownCommands,
  trustHash,
  listVerifyingCommands,
  listExecutables,
} from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless, styleFor } from '../print/style.ts';
import { remember } from './remember.ts';
import { showsAll } from './shows-all.ts';

/** Shows a list to a person and asks whether it may run. */
type ConfirmList = (list: readonly Executable[], io: CliIo) => Promise<boolean>;

/**
 * Asks on a terminal whether this project is trusted to run its commands and call its models; `--trust` says yes. Returns
 * the approved list, or null. What executes modules compares them with that list.
 */
export async function askTrust(
  graph: Graph | null,
  root: string,
  given: boolean,
  io: CliIo,
  confirm: ConfirmList = confirmList,
): Promise<readonly Executable[] | null> {
  const place = await realpath(root);
  return askFor(() => listExecutables(graph, place), place, given, io, confirm);
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
  return (await askFor(() => listVerifyingCommands(graph, place, isAsked), place, given, io)) !== null;
}

/** Records that the commands which run before a worktree is removed are trusted. */
export async function trustTearDown(graph: Graph, root: string, io: CliIo): Promise<void> {
  const place = await realpath(root);
  await askFor(() => Promise.resolve(tearDownCommands(graph)), place, true, io);
}

/** How often a list that changes while a person reads it is shown. */
const MOST_ROUNDS = 3;

async function askFor(
  read: () => Promise<readonly Executable[]>,
  place: string,
  given: boolean,
  io: CliIo,
  confirm: ConfirmList = confirmList,
): Promise<readonly Executable[] | null> {
  let list = await read();
  for (let round = 1; ; round += 1) {
    if (list.length === 0) return list;
    const hash = trustHash(place, list);
    if (await isTrusted(hash, io.env)) return list;
    if (!given && !(await confirm(list, io))) return null;
    // A file may have been changed while the person was reading.
    const now = given ? list : await read();
    if (trustHash(place, now) === hash) {
      await remember(hash, place, io);
      return now;
    }
    const { paint, symbols } = styleFor(io.stderr, io);
    const isOver = round === MOST_ROUNDS;
    const next = isOver ? '' : ' This is the list now.';
    io.stderr.write(
      `${paint.yellow(`${symbols.warn} The list changed while you read it; nothing was approved.${next}`)}\n\n`,
    );
    if (isOver) return null;
    list = now;
  }
}

async function confirmList(list: readonly Executable[], io: CliIo): Promise<boolean> {
  print(list, io);
  return io.interactive && confirmTrust('Do you trust it? You are asked again only when this list changes.');
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
    import('../terminal/read-secret.ts'),
  ]);
  const answer = await clack.confirm({ message: harmless(message), initialValue: false, ...personStreams() });
  return answer === true;
}
