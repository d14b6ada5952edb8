import { RoboSmithError } from '#protocol/error.ts';
import type { HostToView, Refusal, ViewState, ViewToHost } from '#protocol/generated/view.gen.ts';
import { messageOf } from '#protocol/message-of.ts';
import { readViewMessage, VIEW_PROTOCOL } from '#protocol/view/read-message.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { HostLink, LinkState } from './host-link.ts';

interface ViewBridgeParts {
  readonly link: HostLink;
  /** The project's displayed name. */
  readonly project: string;
  /** The tab to open first. Null opens a tab that needs a person, or else one that is running. */
  readonly open: string | null;
  /** Sends a message to the view. */
  readonly post: (message: HostToView) => void;
  /**
   * Performs the action of a message that only the program with the view can perform. Returns null if the host handles
   * the message. The text that it resolves to is displayed.
   */
  readonly local: (message: ViewToHost) => Promise<string | null> | null;
  /**
   * Asks a person before the host acts, and may change the message. Rejects if the action must not be performed.
   * Returns null if nothing is asked.
   */
  readonly prepare?: (message: ViewToHost) => Promise<ViewToHost> | null;
  /** Called with every message for the view, before it is posted. */
  readonly onPost?: (message: HostToView) => void;
  readonly now: () => number;
  readonly log: (message: string) => void;
}

/** Forwards messages between one view and the project's host, over a connection that may break. */
export interface ViewBridge {
  /** Handles a message of the view; the message is not trusted. */
  hear(message: unknown): void;
  /** Sends the view a message that does not come from the host. */
  send(message: HostToView): void;
  /** Shows another tab. */
  show(key: string | null): void;
  end(): void;
}

function refusalOf(thrown: unknown): Refusal {
  const next: unknown = RoboSmithError.is(thrown) ? thrown.data['next'] : undefined;
  const first: unknown = Array.isArray(next) ? next[0] : null;
  const code = RoboSmithError.is(thrown) ? thrown.code : 'bug';
  return { code, message: messageOf(thrown), next: typeof first === 'string' ? first : null };
}

const ready = (): ViewToHost => ({
  protocol: VIEW_PROTOCOL,
  command: 'ready',
  payload: { view: 'mission-control' },
});

/** The state of the view: the open tab, the number of the last update that it received, and whether it is ready. */
interface ViewSide {
  open: string | null;
  epoch: number;
  seq: number;
  /** The message with which the view reported that it is ready; null if it is not ready yet. */
  first: ViewToHost | null;
  isEnded: boolean;
}

/** The functions that post messages to the view. */
interface Posting {
  post(message: HostToView): void;
  reply(request: string, outcome: { readonly message: string | null } | { readonly refusal: Refusal }): void;
  /** Answers a message that could not be handled, if the view waits for an answer. */
  refuse(message: ViewToHost, thrown: unknown): void;
  /** Shows since when the connection is lost, in milliseconds since the epoch. */
  lost(since: number): void;
}

function postingTo(side: ViewSide, parts: ViewBridgeParts): Posting {
  const post = (message: HostToView): void => {
    if (side.isEnded) return;
    if (message.command === 'snapshot') side.open = message.payload.state.open;
    if (message.command === 'snapshot' || message.command === 'patch') {
      side.epoch = message.payload.epoch;
      side.seq = message.payload.seq;
    }
    parts.onPost?.(message);
    parts.post(message);
  };
  const reply: Posting['reply'] = (request, outcome) => {
    const payload = 'refusal' in outcome ? { request, ok: false, ...outcome } : { request, ok: true, ...outcome };
    post({ protocol: VIEW_PROTOCOL, command: 'reply', payload } as HostToView);
  };
  return {
    post,
    reply,
    refuse: (message, thrown) => {
      if ('request' in message.payload) reply(message.payload.request, { refusal: refusalOf(thrown) });
    },
    lost: (since) => {
      if (side.first === null) return;
      const engine = { kind: 'lost', since } as const;
      const { epoch, seq } = side;
      const protocol = VIEW_PROTOCOL;
      if (epoch === 0) {
        const state = { ...emptyState(parts), engine };
        return post({ protocol, command: 'snapshot', payload: { epoch: 1, seq: 1, state } });
      }
      const changes = [{ kind: 'engine', engine }] as const;
      post({ protocol, command: 'patch', payload: { epoch, seq: seq + 1, changes } });
    },
  };
}

/** The view as the connected host knows it. */
interface HostSide {
  /** Returns whether the host has opened the view. */
  isOpen(): boolean;
  /** Opens the view in a host. */
  begin(client: HostClient): Promise<void>;
  /** Passes a message to the host; one that can't be passed is refused. */
  pass(message: ViewToHost): void;
  /** The connection is lost. */
  lose(): void;
  end(): void;
}

function hostSideOf(side: ViewSide, { post, refuse }: Posting): HostSide {
  let view: { readonly client: HostClient; readonly number: number } | null = null;
  let unhear = (): void => undefined;
  const pass = (message: ViewToHost): void => {
    const failed = (thrown: unknown): void => refuse(message, thrown);
    if (view === null) return failed(new RoboSmithError('host_failed', 'The engine host is not connected.'));
    view.client.call('view.send', { view: view.number, message }).catch(failed);
  };
  return {
    isOpen: () => view !== null,
    begin: async (client) => {
      unhear();
      let number: number | null = null;
      unhear = client.on('view', (notice) => {
        if (notice.view === number) post(notice.message);
      });
      number = (await client.call('view.open', { open: side.open })).view;
      if (side.isEnded) return void client.call('view.close', { view: number }).catch(() => undefined);
      view = { client, number };
      if (side.first !== null) pass(side.first);
    },
    pass,
    lose: () => {
      view = null;
    },
    end: () => {
      unhear();
      if (view !== null) view.client.call('view.close', { view: view.number }).catch(() => undefined);
    },
  };
}

export function createViewBridge(parts: ViewBridgeParts): ViewBridge {
  const { link, local, log } = parts;
  const side: ViewSide = { open: parts.open, epoch: 0, seq: 0, first: null, isEnded: false };
  const posting = postingTo(side, parts);
  const { post, reply, refuse } = posting;
  const host = hostSideOf(side, posting);

  const lose = ({ since }: Extract<LinkState, { kind: 'lost' }>): void => {
    host.lose();
    posting.lost(since);
  };
  const take = (state: LinkState): void => {
    if (state.kind === 'lost') lose(state);
    if (state.kind !== 'connected') return;
    host.begin(state.client).catch((thrown: unknown) => log(`a view was not opened: ${messageOf(thrown)}`));
  };
  const unwatch = link.onState(take);
  take(link.state());
  link.reach().catch(() => undefined);

  const handToHost = (message: ViewToHost): void => {
    const prepared = parts.prepare?.(message) ?? null;
    if (prepared !== null) return void prepared.then(host.pass, (thrown: unknown) => refuse(message, thrown));
    const state = link.state();
    // A reloaded view has not received the message that the connection is lost.
    if (message.command === 'ready' && state.kind === 'lost') lose(state);
    if (message.command !== 'ready' || host.isOpen()) host.pass(message);
  };
  const handle = (message: ViewToHost): void => {
    if (message.command === 'ready') side.first = message;
    if (message.command === 'reconnect') link.retry();
    const done = local(message);
    if (done === null) return handToHost(message);
    const request = 'request' in message.payload ? message.payload.request : null;
    done.then(
      (said) => (request === null ? undefined : reply(request, { message: said })),
      (thrown: unknown) => (request === null ? log(messageOf(thrown)) : reply(request, { refusal: refusalOf(thrown) })),
    );
  };
  return {
    hear: (value) => {
      const read = readViewMessage(value);
      if (read.ok) handle(read.message);
      else log(`a message of a view was ignored: ${read.why}`);
    },
    send: post,
    show: (key) => {
      side.open = key;
      if (side.first === null) return;
      host.pass({ ...ready(), command: 'open', payload: { key } });
    },
    end: () => {
      side.isEnded = true;
      unwatch();
      host.end();
    },
  };
}

const emptyState = ({ project, now }: ViewBridgeParts): ViewState => ({
  time: now(),
  project,
  engine: { kind: 'connected' },
  sessions: [],
  inbox: [],
  problems: null,
  drafts: [],
  open: null,
  workflow: null,
  integration: null,
});
