import { type ProjectInbox, projectInbox } from '#engine/index.ts';
import type { OpenHalt, RunSummary } from '#protocol/run-summary.ts';
import type { CliIo } from '../cli-io.ts';
import { type InboxItem, printInbox, type SessionItem } from '../print/inbox.ts';
import { printJson } from '../print/json.ts';
import { inProject } from '../project/in-project.ts';
import { keptRun } from '../run/kept.ts';
import { resumeCommands } from '../run/resume-commands.ts';
import { sessionAnswers } from '../sessions/session-answers.ts';

export interface InboxOptions {
  readonly json?: true;
}

/** All that waits for a person, the oldest first. */
export const inbox = (options: InboxOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => {
    const found = projectInbox(root);
    const waiting = found.runs
      .flatMap((summary) => itemsOf(summary, found, io))
      .sort((one, other) => one.since - other.since);
    const sessions = found.sessions.map((one): SessionItem => ({ ...one, answers: sessionAnswers(one) }));
    if (options.json === true) printJson({ ok: true, waiting, sessions }, io.stdout);
    else printInbox(waiting, sessions, io);
    return 0;
  });

function itemsOf({ run, node, steps, halts }: RunSummary, { all }: ProjectInbox, io: CliIo): readonly InboxItem[] {
  const kept = keptRun(run, null, io);
  const session = all.find(({ runs }) => runs.includes(run))?.id ?? null;
  return halts.map((halt: OpenHalt) => ({
    ...{ run, session, node, steps, ...halt },
    answers: resumeCommands(kept, halt, halts.length === 1, null),
  }));
}
