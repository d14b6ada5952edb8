import type { Engine, KeptRun } from '#engine/index.ts';
import type { HostClient } from '#host/client/index.ts';
import type { EventListener } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Begun } from '#protocol/host.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { Beginning, Reporter } from '../print/reporter.ts';
import type { AskPerson, GivenAnswer } from '../names/person.ts';
import type { Kept } from '../names/stored-run.ts';

export interface Conducted {
  /** The project; `elsewhere` when it can't be found from the folder in which commands are typed. */
  readonly root: string;
  readonly elsewhere: boolean;
  readonly graph: Graph;
  begin(engine: Engine, onEvent: EventListener): KeptRun;
  /** The same in the engine host, where one lives. */
  beginInHost(host: HostClient): Promise<Begun>;
  beginning(kept: Kept): Beginning;
  readonly given: readonly GivenAnswer[];
  /** True: an engine host is started for it where none runs, because its session may have to go on without this process. */
  readonly needsHost?: boolean;
  /** Sees what models are sent, right before they are. */
  readonly onPrompt?: (prompt: ShownPrompt) => void;
}

export interface Audience {
  readonly reporter: Reporter;
  readonly ask: AskPerson | null;
  readonly io: CliIo;
}
