import { messageOf } from '#protocol/message-of.ts';
import type { HostClient } from '#protocol/host-client.ts';

export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected'; readonly client: HostClient }
  | { readonly kind: 'lost'; readonly since: number; readonly why: string };

interface HostLinkParts {
  /** Starts or joins the project's host. Rejects if that fails. */
  readonly connect: () => Promise<HostClient>;
  readonly now: () => number;
}

/** A connection to a project's host that is restored whenever it breaks. */
export interface HostLink {
  readonly state: () => LinkState;
  /** Resolves to the client once connected. Rejects if the current attempt fails. */
  reach(): Promise<HostClient>;
  /** Adds a listener for changes of the state. Returns a function that removes it. */
  onState(listener: (state: LinkState) => void): () => void;
  /** Tries to connect again at once. */
  retry(): void;
  close(): void;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5_000;

export function createHostLink({ connect, now }: HostLinkParts): HostLink {
  const listeners = new Set<(state: LinkState) => void>();
  let state: LinkState = { kind: 'connecting' };
  let attempt: Promise<HostClient> | null = null;
  let delay = FIRST_DELAY_MS;
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  const become = (next: LinkState): void => {
    state = next;
    for (const listener of [...listeners]) listener(next);
  };
  const lose = (why: string): void => {
    if (isClosed) return;
    become({ kind: 'lost', since: state.kind === 'lost' ? state.since : now(), why });
    timer = setTimeout(() => void reach().catch(() => undefined), delay);
    delay = Math.min(delay * 2, LONGEST_DELAY_MS);
  };
  const tryOnce = async (): Promise<HostClient> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    try {
      const client = await connect();
      if (isClosed) client.close();
      delay = FIRST_DELAY_MS;
      become({ kind: 'connected', client });
      void client.gone.then(() => {
        attempt = null;
        lose('The connection to the engine host was lost.');
      });
      return client;
    } catch (thrown) {
      attempt = null;
      lose(messageOf(thrown));
      throw thrown;
    }
  };
  const reach = (): Promise<HostClient> => (attempt ??= tryOnce());
  return {
    state: () => state,
    reach,
    onState: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    retry: () => {
      if (state.kind !== 'connected') reach().catch(() => undefined);
    },
    close: () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      listeners.clear();
      if (state.kind === 'connected') state.client.close();
    },
  };
}
