import { foreignBranch, rememberCommit } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { messageOf } from '#protocol/message-of.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { confirmTrust } from './ask-trust.ts';
import { commitLines, printLines } from './print-commit.ts';
import { showsAll } from './shows-all.ts';

/**
 * Asks whether a session may work on a branch whose commit comes from elsewhere; `--trust` says yes. The answer holds for
 * this commit only. Returns false if it is not confirmed.
 */
export async function confirmBranch(
  branch: string,
  root: string,
  graph: Graph | null,
  given: boolean,
  io: CliIo,
): Promise<boolean> {
  const found = await foreignBranch(branch, root, graph, io.env);
  if (found === null) return true;
  const { paint, symbols } = styleFor(io.stderr, io);
  if (!given) {
    printLines(paint.bold(`${showsAll(branch)} comes from elsewhere`), commitLines(found), io);
    const question = 'Work on it? Your commands and agents are started on its files.';
    if (!io.interactive || !(await confirmTrust(question))) return false;
  }
  try {
    await rememberCommit(found.commit, root, io.env);
  } catch (thrown) {
    const text = `Your agreement could not be saved, so no session can start: ${harmless(messageOf(thrown))}.`;
    io.stderr.write(`${paint.yellow(`${symbols.warn} ${text}`)}\n\n`);
    return false;
  }
  return true;
}
