import * as vscode from 'vscode';
import { createViewBridge, type HostLink } from '#host/client/index.ts';
import type {
  EngineLink,
  HostToView,
  InboxEntry,
  ManifestProblems,
  SessionTab,
  ViewGraph,
} from '#protocol/generated/view.gen.ts';
import { VIEW_PROTOCOL } from '#protocol/view/read-message.ts';

/** The part of the project's state that the window itself shows, in the status bar and in lists. */
export interface WindowState {
  dispose(): void;
  readonly sessions: () => readonly SessionTab[];
  readonly inbox: () => readonly InboxEntry[];
  readonly problems: () => ManifestProblems | null;
  readonly engine: () => EngineLink;
  /** The graph of the project's manifest, or null if there is no manifest. */
  readonly graph: () => ViewGraph | null;
  /** The path of the project's manifest, relative to the project. */
  readonly source: () => string;
  /** True once the host has sent the complete state. */
  readonly isKnown: () => boolean;
  /** Resolves when the complete state is known, or when the host can't be reached. */
  readonly known: () => Promise<void>;
  readonly onChange: vscode.Event<void>;
}

interface WindowStateParts {
  readonly link: HostLink;
  readonly project: string;
  readonly log: (message: string) => void;
}

const NO_TAB = 'none';

export function createWindowState({ link, project, log }: WindowStateParts): WindowState {
  const changed = new vscode.EventEmitter<void>();
  let sessions: readonly SessionTab[] = [];
  let inbox: readonly InboxEntry[] = [];
  let problems: ManifestProblems | null = null;
  let engine: EngineLink = { kind: 'connected' };
  let graph: ViewGraph | null = null;
  let source = '.vision/workflows.json';
  let isKnown = false;
  const first = Promise.withResolvers<undefined>();

  const take = (message: HostToView): void => {
    if (message.command === 'snapshot') {
      ({ sessions, inbox, problems, engine } = message.payload.state);
      const { workflow } = message.payload.state;
      graph = workflow?.graph ?? null;
      source = workflow?.source ?? source;
      isKnown = engine.kind === 'connected';
      first.resolve(undefined);
    } else if (message.command === 'patch') {
      for (const change of message.payload.changes) {
        if (change.kind === 'sessions') ({ sessions } = change);
        else if (change.kind === 'inbox') ({ inbox } = change);
        else if (change.kind === 'problems') ({ problems } = change);
        else if (change.kind === 'engine') ({ engine } = change);
      }
    } else return;
    changed.fire();
  };
  const bridge = createViewBridge({
    link,
    project,
    log,
    open: NO_TAB,
    post: take,
    local: () => null,
    now: () => Date.now(),
  });
  bridge.hear({ protocol: VIEW_PROTOCOL, command: 'ready', payload: { view: 'mission-control' } });
  return {
    sessions: () => sessions,
    inbox: () => inbox,
    problems: () => problems,
    engine: () => engine,
    graph: () => graph,
    source: () => source,
    isKnown: () => isKnown,
    known: async () => {
      await first.promise;
    },
    onChange: changed.event,
    dispose: () => {
      bridge.end();
      changed.dispose();
    },
  };
}
