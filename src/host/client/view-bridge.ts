import { RoboSmithError } from '#protocol/error.ts';
import type { HostToView, Refusal, ViewState, ViewToHost } from '#protocol/generated/view.gen.ts';
import { messageOf } from '#protocol/message-of.ts';
import { readViewMessage, VIEW_PROTOCOL } from '#protocol/view/read-message.ts';
import type { HostClient } from './dial.ts';
import type { HostLink, LinkState } from './host-link.ts';

export interface ViewBridgeParts {
  readonly link: HostLink;
  /** The project's displayed name. */
  readonly project: string;
  /** The tab to open first; null for one that needs a person, or runs. */
  readonly open: string | null;
  /** Sends a message to the view. */
  readonly post: (message: HostToView) => void;
  /**
   * Performs what only the program that shows the view can do. Returns null if the host handles the message. The text
   * that it resolves to is displayed.
   */
  readonly local: (message: ViewToHost) => Promise<string | null> | null;
  /**
   * Asks a person before the host acts, and may change the message. Rejects if it must not be done. Returns null if
   * nothing is asked.
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
  /** Sends a message to the view that is not from the host. */
  tell(message: HostToView): void;
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

export function createViewBridge(parts: ViewBridgeParts): ViewBridge {
  const { link, local, log } = parts;
  let open = parts.open;
  let first: ViewToHost | null = null;
  let view: { readonly client: HostClient; readonly number: number } | null = null;
  let isEnded = false;
  let [epoch, seq] = [0, 0];
  let unhear = (): void => undefined;

  const post = (message: HostToView): void => {
    if (isEnded) return;
    if (message.command === 'snapshot') open = message.payload.state.open;
    if (message.command === 'snapshot' || message.command === 'patch') ({ epoch, seq } = message.payload);
    parts.onPost?.(message);
    parts.post(message);
  };
  const reply = (
    request: string,
    outcome: { readonly message: string | null } | { readonly refusal: Refusal },
  ): void => {
    const payload = 'refusal' in outcome ? { request, ok: false, ...outcome } : { request, ok: true, ...outcome };
    post({ protocol: VIEW_PROTOCOL, command: 'reply', payload } as HostToView);
  };
  const refuse = (message: ViewToHost, thrown: unknown): void => {
    if ('request' in message.payload) reply(message.payload.request, { refusal: refusalOf(thrown) });
  };
  const pass = (message: ViewToHost): void => {
    const failed = (thrown: unknown): void => refuse(message, thrown);
    if (view === null) return failed(new RoboSmithError('host_failed', 'The engine host is not connected.'));
    view.client.call('view.send', { view: view.number, message }).catch(failed);
  };
  const begin = async (client: HostClient): Promise<void> => {
    unhear();
    let number: number | null = null;
    unhear = client.on('view', (notice) => {
      if (notice.view === number) post(notice.message);
    });
    number = (await client.call('view.open', { open })).view;
    if (isEnded) return void client.call('view.close', { view: number }).catch(() => undefined);
    view = { client, number };
    if (first !== null) pass(first);
  };
  const tellLost = ({ since }: Extract<LinkState, { kind: 'lost' }>): void => {
    view = null;
    if (first === null) return;
    const engine = { kind: 'lost', since } as const;
    if (epoch === 0) {
      post({
        protocol: VIEW_PROTOCOL,
        command: 'snapshot',
        payload: { epoch: 1, seq: 1, state: { ...emptyState(parts), engine } },
      });
      return;
    }
    post({
      protocol: VIEW_PROTOCOL,
      command: 'patch',
      payload: { epoch, seq: seq + 1, changes: [{ kind: 'engine', engine }] },
    });
  };
  const take = (state: LinkState): void => {
    if (state.kind === 'lost') tellLost(state);
    if (state.kind !== 'connected') return;
    begin(state.client).catch((thrown: unknown) => log(`a view was not opened: ${messageOf(thrown)}`));
  };
  const unwatch = link.onState(take);
  take(link.state());
  link.reach().catch(() => undefined);

  const handle = (message: ViewToHost): void => {
    if (message.command === 'ready') first = message;
    if (message.command === 'reconnect') link.retry();
    const done = local(message);
    if (done === null) {
      const prepared = parts.prepare?.(message) ?? null;
      if (prepared !== null) return void prepared.then(pass, (thrown: unknown) => refuse(message, thrown));
      const state = link.state();
      // A new view does not know the state that the previous one was sent.
      if (message.command === 'ready' && state.kind === 'lost') tellLost(state);
      return message.command === 'ready' && view === null ? undefined : pass(message);
    }
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
    tell: post,
    show: (key) => {
      open = key;
      if (first === null) return;
      pass({ ...ready(), command: 'open', payload: { key } });
    },
    end: () => {
      isEnded = true;
      unwatch();
      unhear();
      if (view !== null) view.client.call('view.close', { view: view.number }).catch(() => undefined);
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
  open: null,
  workflow: null,
  integration: null,
});
