import path from 'node:path';
import type { HostToView, SessionTab, ViewGraph, ViewState, WorkflowViewState } from '#protocol/generated/view.gen.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { hasResult } from './integration.ts';
import type { LiveRun } from './live-runs.ts';
import { createNumberedMessages, type NumberedMessages } from './numbered-messages.ts';
import type { OneView } from './one-view.ts';
import { idleViewState, runViewState } from './run-view-state.ts';
import type { ViewParts } from './view-parts.ts';

interface OneViewParts {
  readonly parts: ViewParts;
  /** The tab to open first. If null, it is one that needs a person, or else one that runs. */
  readonly open: string | null;
  readonly post: (message: HostToView) => void;
}

/** The run that one view displays. Its data is updated as long as it is displayed. */
interface FollowedRun {
  now(): LiveRun | null;
  /** Follows another run, or none if null. If the run can't be read, the error is logged. */
  follow(run: RunId | null): void;
}

function createFollowedRun({ runs, log }: Pick<ViewParts, 'runs' | 'log'>): FollowedRun {
  let live: LiveRun | null = null;
  return {
    now: () => live,
    follow: (run) => {
      if (live?.run === run) return;
      if (live !== null) runs.leave(live.run);
      live = null;
      if (run === null) return;
      try {
        live = runs.follow(run);
      } catch (thrown) {
        log(`${run} can't be shown: ${messageOf(thrown)}`);
      }
    },
  };
}

/** The result of the open session, as one view displays it. */
interface ShownIntegration {
  /** Returns the session's current result; null if it has none. */
  build(): Promise<ViewState['integration']>;
  /**
   * Records the result that a sent snapshot contains, or null if it contains none. Must be called for each snapshot.
   */
  sent(integration: ViewState['integration']): void;
  /** Sends the session's current result to the view if it is not the one that the view shows. Never rejects. */
  update(): Promise<void>;
  readonly isShown: () => boolean;
}

function createShownIntegration(
  { project, integrations, outcomeOf, log }: ViewParts,
  open: () => string | null,
  live: () => LiveRun | null,
  patch: NumberedMessages['patch'],
): ShownIntegration {
  let shown = JSON.stringify(null);
  const build = async (): Promise<ViewState['integration']> => {
    const key = open();
    const listing = key === null ? null : project.listing(key);
    if (listing === null || !hasResult(listing)) return null;
    const run = live();
    const found = run?.run === listing.session.runs.at(-1) ? run : null;
    return integrations.build(listing, found, outcomeOf(listing.session.id));
  };
  return {
    build,
    isShown: () => shown !== 'null',
    sent: (integration) => {
      shown = JSON.stringify(integration);
    },
    update: async () => {
      const key = open();
      try {
        const integration = await build();
        const text = JSON.stringify(integration);
        // Another tab was opened while git was read: its snapshot contains its own result.
        if (key !== open() || text === shown) return;
        shown = text;
        patch([{ kind: 'integration', integration }]);
      } catch (thrown) {
        log(`the result of ${key ?? ''} can't be shown: ${messageOf(thrown)}`);
      }
    },
  };
}

/** Keeps one view up to date, with a snapshot and then numbered patches. */
export function attendView({ parts, open: first, post }: OneViewParts): OneView {
  const { root, project, runs, layouts, now, log } = parts;
  const messages = createNumberedMessages(post, now);
  const followed = createFollowedRun(parts);
  let key: string | null = first;
  let graph: ViewGraph | null = null;
  let wasThere = false;
  let answers = 0;
  const integration = createShownIntegration(parts, () => key, followed.now, messages.patch);

  const tabOf = (): SessionTab | null => project.tabs().find((tab) => tab.key === key) ?? null;
  const followOpen = (): void => followed.follow((tabOf()?.run ?? null) as RunId | null);
  const workflow = (): WorkflowViewState | null => {
    const tab = tabOf();
    const live = followed.now();
    const state = live === null ? idleViewState(tab, parts) : runViewState(live, tab, parts);
    graph = state?.graph ?? null;
    return state;
  };
  const snapshot = async (): Promise<void> => {
    // Holds back patches of the new run until its snapshot was sent.
    messages.hold();
    await project.ready();
    key ??= firstTab(project.tabs());
    followOpen();
    const integrated = await integration.build();
    followOpen();
    const live = followed.now();
    if (live !== null) runs.flush(live.run);
    integration.sent(integrated);
    wasThere = tabOf() !== null;
    messages.snapshot(() => ({
      time: now(),
      project: path.basename(root),
      engine: { kind: 'connected' },
      sessions: project.tabs(),
      inbox: project.inbox(),
      problems: project.problems(),
      drafts: [...parts.drafts.all()],
      open: key,
      workflow: workflow(),
      integration: integrated,
    }));
    const layout = graph === null ? null : layouts.byHash(graph.hash);
    if (layout !== null) messages.send('layout', layout);
  };
  const followTab = (): void => {
    if (!messages.isShown()) return;
    const tab = tabOf();
    // A session that is no longer listed has been discarded. A session that was never listed may be new.
    const isGone = wasThere && tab === null;
    wasThere = tab !== null;
    if (isGone) key = null;
    const run = tab?.run ?? null;
    const isOther =
      isGone || run !== (followed.now()?.run ?? null) || (key === null && firstTab(project.tabs()) !== null);
    if (isOther) snapshot().catch((thrown: unknown) => log(`a view can't be shown: ${messageOf(thrown)}`));
    else void integration.update();
  };
  return {
    open: () => key,
    live: followed.now,
    graph: () => graph,
    send: messages.send,
    patch: messages.patch,
    snapshot,
    askIntegration: () => void integration.update(),
    refreshIntegration: () => (messages.isShown() && integration.isShown() ? integration.update() : Promise.resolve()),
    show: (next) => {
      key = next;
      return snapshot();
    },
    followTab,
    begin: () => {
      answers += 1;
      const own = answers;
      return () => own === answers;
    },
    end: () => {
      messages.end();
      followed.follow(null);
    },
  };
}

const RUNS: ReadonlySet<string> = new Set(['running', 'creating', 'halted', 'queued']);

/** Returns the tab to begin with: one that needs a person, one that runs, or none. */
function firstTab(tabs: readonly SessionTab[]): string | null {
  const found = tabs.find(({ needsPerson }) => needsPerson) ?? tabs.find(({ state }) => RUNS.has(state));
  return (found ?? tabs.at(-1))?.key ?? null;
}
