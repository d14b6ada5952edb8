import type { HostToView, Refusal, ViewToHost } from '#protocol/generated/view.gen.ts';
import type { Host, Payload } from '../connection/host.ts';

/** Commands that the host answers with a `reply` message. */
export type RequestCommand = Extract<ViewToHost, { payload: { request: string } }>['command'];

type Reply = Extract<HostToView, { command: 'reply' }>['payload'];

/** The outcome of the last request, shown to the user as a notice. */
export type Notice =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'done'; readonly message: string }
  /** A branch was discarded. The notice offers to restore it. */
  | { readonly kind: 'discarded'; readonly session: string; readonly message: string | null };

interface OpenRequest {
  readonly command: RequestCommand;
  /** The id of the session that the request discards; null for other requests. */
  readonly discards: string | null;
}

/** The requests in progress, and the notice about the last reply. */
export class Requests {
  readonly #host: Host;
  #count = 0;
  #open = new Map<string, OpenRequest>();
  /** Commands that wait for a reply. Their buttons are disabled. */
  waiting = $state.raw<ReadonlySet<RequestCommand>>(new Set());
  notice = $state.raw<Notice | null>(null);

  constructor(host: Host) {
    this.#host = host;
  }

  send<Command extends RequestCommand>(command: Command, payload: Omit<Payload<Command>, 'request'>): void {
    this.#count += 1;
    const request = `${Date.now().toString(36)}-${this.#count}`;
    const discards = command === 'discard' && 'session' in payload ? String(payload.session) : null;
    this.#open.set(request, { command, discards });
    this.#updateWaiting();
    this.notice = null;
    // The cast is needed because TypeScript can't prove that `Omit<…, 'request'>` plus `request` is the generic
    // payload.
    this.#host.send(command, { ...payload, request } as unknown as Payload<Command>);
  }

  settle(reply: Reply): void {
    const settled = this.#open.get(reply.request);
    if (settled === undefined) return;
    this.#open.delete(reply.request);
    this.#updateWaiting();
    if (!reply.ok) this.notice = { kind: 'refused', refusal: reply.refusal };
    else if (settled.discards !== null)
      this.notice = { kind: 'discarded', session: settled.discards, message: reply.message };
    else if (reply.message !== null) this.notice = { kind: 'done', message: reply.message };
  }

  /** Drops all open requests after the connection is lost, since no reply will arrive. */
  drop(): void {
    this.#open = new Map();
    this.waiting = new Set();
  }

  dismiss(): void {
    this.notice = null;
  }

  #updateWaiting(): void {
    this.waiting = new Set([...this.#open.values()].map(({ command }) => command));
  }
}
