import type { HostMethod, HostMethods } from '#protocol/host.ts';
import type { GateFiles } from './gate-files.ts';
import type { Integrations, OutcomeProgress } from './integration.ts';
import type { Layouts } from './layouts.ts';
import type { LiveRuns } from './live-runs.ts';
import type { ProjectState } from './project-state.ts';

/** Calls a method of this very host. */
export type CallHost = <Name extends HostMethod>(
  method: Name,
  params: HostMethods[Name]['params'],
) => Promise<HostMethods[Name]['result']>;

/** What all views of a project share. */
export interface ViewParts {
  readonly root: string;
  readonly project: ProjectState;
  readonly runs: LiveRuns;
  readonly layouts: Layouts;
  readonly integrations: Integrations;
  readonly gateFiles: GateFiles;
  readonly call: CallHost;
  readonly outcomeOf: (session: string) => OutcomeProgress;
  /** Says what is being done to a session, or came of it. */
  readonly setOutcome: (session: string, progress: OutcomeProgress) => void;
  /** Resolves when the project may run what the manifest brings; rejects with why not. */
  readonly checkTrust: () => Promise<void>;
  readonly now: () => number;
  readonly log: (message: string) => void;
}
