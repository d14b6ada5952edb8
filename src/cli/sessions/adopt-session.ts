import type { Session } from '#protocol/session.ts';
import type { ForeignSession, SessionApi } from '#protocol/session-api.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { confirmTrust, print } from '../trust/ask-trust.ts';
import { commitLines, printLines, section } from '../trust/print-commit.ts';
import { showsAll } from '../trust/shows-all.ts';

function factsOf({ branch, steps, answers, differences, isOwn }: ForeignSession): readonly string[] {
  const all = ['git', 'show', `${branch}:.robo/session.json`].map(shellWord).join(' ');
  return [
    ...section('The manifest of its run differs from that of this project:', differences, all),
    ...(steps === 0 || isOwn
      ? []
      : [
          `${String(steps)} steps were executed elsewhere and prove nothing here. Test the result with sessions merge --verify.`,
        ]),
    ...section(
      isOwn
        ? 'Answered here before:'
        : 'Answered elsewhere, which does not count here; the run continues before the first of these:',
      answers.map(({ block, verb }) => `${block}: ${verb}`),
      all,
    ),
  ];
}

function printFound(found: ForeignSession, io: CliIo): void {
  const { paint } = styleFor(io.stderr, io);
  const { branch, title, executables } = found;
  const what = paint.bold(`${showsAll(branch)} contains the session "${showsAll(title)}"`);
  printLines(what, [...commitLines(found), ...factsOf(found)], io);
  if (executables.length > 0) print(executables, io);
}

/**
 * Adopts a session that another clone has put on hold on a branch, after the user has confirmed its content. `trust` is
 * true if the content was already confirmed.
 */
export async function adoptSession(branch: string, trust: boolean, api: SessionApi, io: CliIo): Promise<Session> {
  const found = await api.foreign(branch);
  if (!trust || found.answers.length > 0) printFound(found, io);
  if (
    !trust &&
    !(
      io.interactive &&
      (await confirmTrust('Adopt it here? Its files and its run come from the authors of the branch.'))
    )
  )
    throw usageError(`${branch} comes from elsewhere and must be confirmed in a terminal first. Nothing was adopted.`, [
      ['robosmith', 'sessions', 'resume', branch, '--trust'].map(shellWord).join(' '),
    ]);
  return api.adopt(branch, found.commit);
}
