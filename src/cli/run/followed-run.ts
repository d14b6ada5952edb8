import type { HostClient } from '#protocol/host-client.ts';
import type { Graph } from '#protocol/graph.ts';
import type { StartOutcome } from '#protocol/host.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { StartedRun, Reporter } from '../print/reporter.ts';
import type { AskPerson, GivenAnswer } from '../names/person.ts';
import type { StoredRunCommands } from '../names/stored-run-commands.ts';

export interface RunToFollow {
  /** The project's folder. `elsewhere`: commands typed in the current folder would not find the project. */
  readonly root: string;
  readonly elsewhere: boolean;
  readonly graph: Graph;
  /** Starts or resumes the run. */
  begin(host: HostClient): Promise<StartOutcome>;
  beginning(kept: StoredRunCommands): StartedRun;
  readonly given: readonly GivenAnswer[];
  /**
   * True if the run works for a session. It continues after Ctrl-C, and may have to continue after this process has
   * ended.
   */
  readonly isOfSession: boolean;
  /** Receives each prompt before it is sent. */
  readonly onPrompt?: (prompt: ShownPrompt) => void;
}

export interface Audience {
  readonly reporter: Reporter;
  readonly ask: AskPerson | null;
  readonly io: CliIo;
}
