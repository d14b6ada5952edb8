import type { HostMethod, HostMethods } from '#protocol/host.ts';
import type { Drafts } from '#engine/index.ts';
import type { Draft } from '#protocol/generated/view.gen.ts';
import type { OneView } from './one-view.ts';
import type { GateFiles } from './gate-files.ts';
import type { Integrations, OutcomeProgress } from './integration.ts';
import type { Layouts } from './layouts.ts';
import type { LiveRuns } from './live-runs.ts';
import type { ProjectState } from './project-state.ts';
import type { Streams } from './streams.ts';
import type { VisitFiles } from './visit-files.ts';

/** Calls a method of this host. */
export type CallHost = <Name extends HostMethod>(
  method: Name,
  params: HostMethods[Name]['params'],
) => Promise<HostMethods[Name]['result']>;

/** The data and functions that all views of a project share. */
export interface ViewParts {
  readonly root: string;
  readonly project: ProjectState;
  readonly runs: LiveRuns;
  readonly layouts: Layouts;
  readonly integrations: Integrations;
  readonly drafts: Drafts;
  /** Stores a draft and sends it to all views except the one that it comes from; null: to all. */
  readonly setDraft: (draft: Draft, from: OneView | null) => void;
  readonly gateFiles: GateFiles;
  readonly visitFiles: VisitFiles;
  readonly streams: Pick<Streams, 'text'>;
  readonly call: CallHost;
  readonly outcomeOf: (session: string) => OutcomeProgress;
  /** Sets the current outcome operation of a session, or its result. */
  readonly setOutcome: (session: string, progress: OutcomeProgress) => void;
  /** Resolves if the project may run what the manifest contains; rejects otherwise. */
  readonly checkTrust: () => Promise<void>;
  readonly now: () => number;
  readonly log: (message: string) => void;
}
