import { projectRuns } from '#engine/index.ts';
import type { OpenHalt, RunSummary } from '#protocol/run-summary.ts';
import type { CliIo } from '../cli-io.ts';
import { type InboxItem, printInbox } from '../print/inbox.ts';
import { printJson } from '../print/json.ts';
import { inProject } from '../project/in-project.ts';
import { keptRun } from '../run/kept.ts';
import { resumeCommands } from '../run/resume-commands.ts';

export interface InboxOptions {
  readonly json?: true;
}

/** All that waits for a person, the oldest first. */
export const inbox = (options: InboxOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => {
    const items = projectRuns(root)
      .flatMap((listing) => (listing.kind === 'run' ? itemsOf(listing.summary, io) : []))
      .sort((one, other) => one.since - other.since);
    if (options.json === true) printJson({ ok: true, waiting: items }, io.stdout);
    else printInbox(items, io);
    return 0;
  });

function itemsOf({ run, node, steps, halts }: RunSummary, io: CliIo): readonly InboxItem[] {
  const kept = keptRun(run, null, io);
  return halts.map((halt: OpenHalt) => ({
    ...{ run, node, steps, ...halt },
    answers: resumeCommands(kept, halt, halts.length === 1, null),
  }));
}
