import type { HostToView, Refusal, ViewToHost } from '#protocol/generated/view.gen.ts';
import type { Host, Payload } from '../host.ts';

/** Messages that a host answers with a `reply`. */
export type RequestCommand = Extract<ViewToHost, { payload: { request: string } }>['command'];

type Reply = Extract<HostToView, { command: 'reply' }>['payload'];

/** The outcome of the last request, where a person should know of it. */
export type Notice =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'done'; readonly message: string }
  /** A branch was discarded; it can be restored. */
  | { readonly kind: 'discarded'; readonly session: string; readonly message: string | null };

interface OpenRequest {
  readonly command: RequestCommand;
  /** The session that the request discards; null for any other request. */
  readonly discards: string | null;
}

/** Requests under way, and the newest answer. */
export class Requests {
  readonly #host: Host;
  #count = 0;
  #open = new Map<string, OpenRequest>();
  /** Commands that wait for their reply: their buttons are disabled. */
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
    // TypeScript can't join a generic Omit with its missing property.
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

  /** The connection is gone: no reply will come. */
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
