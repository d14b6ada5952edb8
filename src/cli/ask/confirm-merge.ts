import * as clack from '@clack/prompts';
import type { Session } from '#protocol/session.ts';
import { harmless } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { personStreams } from '../terminal/read-secret.ts';
import { changesOfSession } from './shown-changes.ts';

/**
 * Shows the files that a merge would change, and asks for confirmation. Returns true without asking if there are none.
 */
export async function confirmMerge(session: Session, root: string, io: CliIo): Promise<boolean> {
  const changes = await changesOfSession(session, root, io).catch(() => null);
  if (changes === null) return true;
  changes.printFiles();
  const streams = personStreams();
  for (;;) {
    const answer = await clack.select<'merge' | 'diff' | 'no'>({
      ...streams,
      message: `Merge ${harmless(session.title)} into ${harmless(session.baseBranch)}?`,
      options: [
        { value: 'merge', label: 'Merge' },
        { value: 'diff', label: 'Show the diff' },
        { value: 'no', label: 'Do not merge' },
      ],
    });
    if (answer !== 'diff') return answer === 'merge';
    await changes.printDiff();
  }
}
