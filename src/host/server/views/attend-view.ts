import path from 'node:path';
import type {
  HostToView,
  SessionTab,
  ViewChange,
  ViewGraph,
  ViewState,
  WorkflowViewState,
} from '#protocol/generated/view.gen.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { VIEW_PROTOCOL } from '#protocol/view/read-message.ts';
import { hasResult } from './integration.ts';
import type { LiveRun } from './live-runs.ts';
import { idleViewState, runViewState } from './run-view-state.ts';
import type { ViewParts } from './view-parts.ts';

/** A view detects a lost message within this time. */
const ALIVE_MS = 3_000;

type Payload<Command extends HostToView['command']> = Extract<HostToView, { command: Command }>['payload'];

export interface OneView {
  readonly open: () => string | null;
  /** The displayed run; null if none. */
  readonly live: () => LiveRun | null;
  readonly graph: () => ViewGraph | null;
  send<Command extends HostToView['command']>(command: Command, payload: Payload<Command>): void;
  /** Sends changes as the next patch. */
  patch(changes: readonly ViewChange[]): void;
  /** Sends the whole state. */
  snapshot(): Promise<void>;
  /** Shows another tab. */
  show(key: string | null): Promise<void>;
  /** Switches to the newest run of the open tab. */
  followTab(): void;
  askIntegration(): void;
  end(): void;
}

export interface OneViewParts {
  readonly parts: ViewParts;
  /** The tab to open first; null for one that needs a person, or runs. */
  readonly open: string | null;
  readonly post: (message: HostToView) => void;
}

let lastEpoch = 0;

/** Returns an epoch that is larger than those of all earlier views, also of earlier hosts. */
function nextEpoch(now: number): number {
  lastEpoch = Math.max(lastEpoch + 1, now);
  return lastEpoch;
}

/** Keeps one view up to date, with a snapshot and then numbered patches. */
export function attendView({ parts, open: first, post }: OneViewParts): OneView {
  const { root, project, runs, layouts, now, log } = parts;
  const epoch = nextEpoch(now());
  let seq = 0;
  let isShown = false;
  let key: string | null = first;
  let live: LiveRun | null = null;
  let graph: ViewGraph | null = null;
  let hasIntegration = false;
  let wasThere = false;

  const send: OneView['send'] = (command, payload) =>
    post({ protocol: VIEW_PROTOCOL, command, payload } as unknown as HostToView);
  const tabOf = (): SessionTab | null => project.tabs().find((tab) => tab.key === key) ?? null;
  const patch = (changes: readonly ViewChange[]): void => {
    if (!isShown || changes.length === 0) return;
    seq += 1;
    send('patch', { epoch, seq, changes });
  };
  const follow = (run: RunId | null): void => {
    if (live?.run === run) return;
    if (live !== null) runs.leave(live.run);
    live = null;
    if (run === null) return;
    try {
      live = runs.follow(run);
    } catch (thrown) {
      log(`${run} can't be shown: ${messageOf(thrown)}`);
    }
  };
  const followOpen = (): void => follow((tabOf()?.run ?? null) as RunId | null);
  const workflow = (): WorkflowViewState | null => {
    const tab = tabOf();
    const state = live === null ? idleViewState(tab, parts) : runViewState(live, tab, parts);
    graph = state?.graph ?? null;
    return state;
  };
  const integration = async (): Promise<ViewState['integration']> => {
    const listing = key === null ? null : project.listing(key);
    if (listing === null || !hasResult(listing)) return null;
    const found = live?.run === listing.session.runs.at(-1) ? live : null;
    return parts.integrations.build(listing, found, parts.outcomeOf(listing.session.id));
  };
  const snapshot = async (): Promise<void> => {
    // Holds back patches of the new run until its snapshot was sent.
    isShown = false;
    await project.ready();
    key ??= firstTab(project.tabs());
    followOpen();
    const integrated = await integration();
    followOpen();
    if (live !== null) runs.flush(live.run);
    hasIntegration = integrated !== null;
    wasThere = tabOf() !== null;
    isShown = true;
    seq += 1;
    const state: ViewState = {
      time: now(),
      project: path.basename(root),
      engine: { kind: 'connected' },
      sessions: project.tabs(),
      inbox: project.inbox(),
      problems: project.problems(),
      open: key,
      workflow: workflow(),
      integration: integrated,
    };
    send('snapshot', { epoch, seq, state });
    const layout = graph === null ? null : layouts.byHash(graph.hash);
    if (layout !== null) send('layout', layout);
  };
  const alive = setInterval(() => {
    if (isShown) send('alive', { epoch, seq, time: now() });
  }, ALIVE_MS).unref();
  const askIntegration = (): void => {
    integration().then(
      (found) => {
        if (found === null && !hasIntegration) return;
        hasIntegration = found !== null;
        patch([{ kind: 'integration', integration: found }]);
      },
      (thrown: unknown) => log(`the result of ${key ?? ''} can't be shown: ${messageOf(thrown)}`),
    );
  };
  return {
    open: () => key,
    live: () => live,
    graph: () => graph,
    send,
    patch,
    snapshot,
    askIntegration,
    show: (next) => {
      key = next;
      return snapshot();
    },
    followTab: () => {
      if (!isShown) return;
      const tab = tabOf();
      // The session was discarded; a new one may not be listed yet.
      const isGone = wasThere && tab === null;
      wasThere = tab !== null;
      if (isGone) key = null;
      const run = tab?.run ?? null;
      const isOther = isGone || run !== (live?.run ?? null) || (key === null && firstTab(project.tabs()) !== null);
      if (isOther) snapshot().catch((thrown: unknown) => log(`a view can't be shown: ${messageOf(thrown)}`));
      else askIntegration();
    },
    end: () => {
      clearInterval(alive);
      isShown = false;
      follow(null);
    },
  };
}

const RUNS: ReadonlySet<string> = new Set(['running', 'creating', 'halted', 'queued']);

/** Returns the tab to begin with: one that needs a person, one that runs, or none. */
function firstTab(tabs: readonly SessionTab[]): string | null {
  const found = tabs.find(({ needsPerson }) => needsPerson) ?? tabs.find(({ state }) => RUNS.has(state));
  return (found ?? tabs.at(-1))?.key ?? null;
}
