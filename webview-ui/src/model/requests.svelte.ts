import type { HostToView, Refusal, ViewToHost } from '#protocol/generated/view.gen.ts';
import type { Host, Payload } from '../host.ts';

/** Messages that a host answers with a `reply`. */
export type RequestCommand = Extract<ViewToHost, { payload: { request: string } }>['command'];

type Reply = Extract<HostToView, { command: 'reply' }>['payload'];

/** What came of the last request that a person should know of. */
export type Notice =
  { readonly kind: 'refused'; readonly refusal: Refusal } | { readonly kind: 'done'; readonly message: string };

/** Requests under way, and the newest answer. */
export class Requests {
  readonly #host: Host;
  #count = 0;
  #open = new Map<string, RequestCommand>();
  /** Commands that wait for their reply: their buttons are disabled. */
  waiting = $state.raw<ReadonlySet<RequestCommand>>(new Set());
  notice = $state.raw<Notice | null>(null);

  constructor(host: Host) {
    this.#host = host;
  }

  send<Command extends RequestCommand>(command: Command, payload: Omit<Payload<Command>, 'request'>): void {
    this.#count += 1;
    const request = `${Date.now().toString(36)}-${this.#count}`;
    this.#open.set(request, command);
    this.waiting = new Set(this.#open.values());
    this.notice = null;
    // TypeScript can't join a generic Omit with its missing property.
    this.#host.send(command, { ...payload, request } as unknown as Payload<Command>);
  }

  settle(reply: Reply): void {
    if (!this.#open.delete(reply.request)) return;
    this.waiting = new Set(this.#open.values());
    if (!reply.ok) this.notice = { kind: 'refused', refusal: reply.refusal };
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
}
