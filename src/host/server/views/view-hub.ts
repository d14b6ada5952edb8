import { openDrafts, type TakenChanges } from '#engine/index.ts';
import type { HostToView, ViewChange } from '#protocol/generated/view.gen.ts';
import { messageOf } from '#protocol/message-of.ts';
import { readViewMessage } from '#protocol/view/read-message.ts';
import { createAdaptivePoll } from '../feeds/adaptive-poll.ts';
import type { EventFeed } from '../feeds/event-feed.ts';
import type { HostedRuns } from '../runs/hosted-runs.ts';
import { attendView } from './attend-view.ts';
import { controlsOf } from './controls.ts';
import { createGateFiles } from './gate-files.ts';
import { createIntegrations, NO_OUTCOME, type OutcomeProgress } from './integration.ts';
import { createLayouts, type LayOut } from './layouts.ts';
import { createLiveRuns, type LiveRun } from './live-runs.ts';
import { createProjectState } from './project-state.ts';
import { handleViewMessage } from './handle-view-message.ts';
import type { OneView } from './one-view.ts';
import { createOpenViews } from './open-views.ts';
import { haltsOf } from './run-view-state.ts';
import type { Streams } from './streams.ts';
import { viewActions } from './view-actions.ts';
import type { CallHost, ViewParts } from './view-parts.ts';
import { createVisitFiles } from './visit-files.ts';

interface ViewHubParts {
  readonly root: string;
  readonly feed: EventFeed;
  readonly hosted: Pick<HostedRuns, 'find'>;
  readonly call: CallHost;
  readonly layOut: LayOut;
  readonly checkTrust: ViewParts['checkTrust'];
  readonly streams: Streams;
  readonly now: () => number;
  readonly log: (message: string) => void;
}

/** A view, as seen by the transport of its messages. */
export interface AttendedView {
  hear(message: unknown): void;
  end(): void;
}

export interface ViewHub {
  /** Adds a view. `open`: the tab to open first. */
  attend(open: string | null, post: (message: HostToView) => void): AttendedView;
}

/**
 * Creates the poll that refreshes the results that views show: a person's edit in a worktree, or a commit on the base,
 * causes no event.
 */
const pollResults = (each: (work: (view: OneView) => void) => void): ReturnType<typeof createAdaptivePoll> =>
  createAdaptivePoll({
    refresh: async () => {
      const work: Promise<void>[] = [];
      each((view) => work.push(view.refreshIntegration()));
      await Promise.all(work);
    },
    after: (ms, work) => {
      const timer = setTimeout(work, ms).unref();
      return () => clearTimeout(timer);
    },
    now: () => performance.now(),
  });

/** Serves all views of a project. Shared data is refreshed once for all, and only while there is a view. */
export function createViewHub(given: ViewHubParts): ViewHub {
  const { root, feed, hosted, call, layOut, checkTrust, streams, now, log } = given;
  const drafts = openDrafts(root);
  const outcomes = new Map<string, OutcomeProgress>();
  const { each, showing, add, remove } = createOpenViews(
    root,
    () => project.ask(),
    () => project.askManifest(),
  );
  const project = createProjectState({
    root,
    log,
    onChange: (changes) => {
      each((view) => view.patch(changes));
      if (changes.some(({ kind }) => kind === 'sessions')) each((view) => view.followTab());
    },
    onManifest: () =>
      each((view) => {
        if (view.live() === null)
          view.snapshot().catch((thrown: unknown) => log(`a view can't be shown: ${messageOf(thrown)}`));
      }),
  });
  const onChanges = (live: LiveRun, { changes, run, halts }: TakenChanges): void =>
    showing(live, (view) => {
      const more: ViewChange[] = [];
      const tab = project.tabs().find(({ key }) => key === view.open()) ?? null;
      if (run || halts) more.push({ kind: 'run', run: live.picture.run, controls: controlsOf(live.picture, tab) });
      if (halts) more.push({ kind: 'halts', halts: haltsOf(live, { root, gateFiles }) });
      view.patch([...changes, ...more]);
      if (run || halts) project.ask();
    });
  const gateFiles = createGateFiles(
    root,
    (run) =>
      each((view) => {
        const live = view.live();
        if (live?.run === run) view.patch([{ kind: 'halts', halts: haltsOf(live, { root, gateFiles }) }]);
      }),
    log,
  );
  streams.onPiece((piece) => each((view) => (view.live()?.run === piece.run ? view.send('stream', piece) : undefined)));
  const layouts = createLayouts(layOut, (hash) =>
    each((view) => {
      const graph = view.graph();
      if (graph?.hash !== hash) return;
      const layout = layouts.byHash(hash);
      if (layout !== null) view.send('layout', layout);
      view.patch([{ kind: 'layout', layout: layouts.progress(graph) }]);
    }),
  );
  const parts: ViewParts = {
    root,
    project,
    layouts,
    call,
    checkTrust,
    now,
    log,
    gateFiles,
    streams,
    visitFiles: createVisitFiles(root, log),
    integrations: createIntegrations(root),
    drafts,
    setDraft: (draft, from) => {
      drafts.put(draft);
      each((view) => (view === from ? undefined : view.patch([{ kind: 'drafts', drafts: [draft] }])));
    },
    runs: createLiveRuns({ root, feed, hosted, onChanges, onEvent: streams.heard }),
    outcomeOf: (session) => outcomes.get(session) ?? NO_OUTCOME,
    setOutcome: (session, progress) => {
      outcomes.set(session, progress);
      each((view) => (view.open() === session ? view.askIntegration() : undefined));
    },
  };
  const actions = viewActions(parts);
  const poll = pollResults(each);
  let count = 0;
  return {
    attend: (open, post) => {
      const view = add(() => attendView({ parts, open, post }));
      project.ask();
      count += 1;
      poll.ask();
      return {
        hear: (value) => {
          const read = readViewMessage(value);
          if (read.ok) void handleViewMessage(read.message, view, parts, actions);
          else log(`a message of a view was ignored: ${read.why}`);
        },
        end: () => {
          remove(view);
          count -= 1;
          if (count === 0) poll.end();
        },
      };
    },
  };
}
