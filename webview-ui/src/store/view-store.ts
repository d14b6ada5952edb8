import type { HostToView, ViewChange } from '#protocol/generated/view.gen.ts';
import { applyChange, toData } from './view-data.ts';
import type { ViewData } from './view-data.ts';

/** Messages that carry the state, or the number of its newest version. */
export type StateMessage = Extract<HostToView, { command: 'snapshot' | 'patch' | 'alive' }>;

/** The number of the last message that was applied. Epochs are streams of one host: a later one is larger. */
export interface Version {
  readonly epoch: number;
  readonly seq: number;
}

/** What became of a message. `gap`: something was missed, and a snapshot is needed. */
export type Received =
  | { readonly kind: 'ignored' | 'gap' | 'replaced' }
  | { readonly kind: 'changed'; readonly changes: readonly ViewChange[] };

export interface ViewStore {
  receive(message: StateMessage): Received;
  data(): ViewData | null;
  version(): Version | null;
  /** Has a message been missed? */
  isBehind(): boolean;
}

const isNewer = (one: Version, other: Version | null): boolean =>
  other === null || one.epoch > other.epoch || (one.epoch === other.epoch && one.seq > other.seq);

/**
 * Keeps the state in the order of its sequence numbers:
 * 1. A patch is applied only right after the message before it.
 * 2. Whatever is not newer than the state is ignored.
 * 3. A number that shows a gap makes the store ask for a snapshot, until one has closed it.
 */
export function createViewStore(): ViewStore {
  let data: ViewData | null = null;
  let version: Version | null = null;
  let newest: Version | null = null;

  function take(message: Extract<StateMessage, { command: 'snapshot' | 'patch' }>): Received {
    const { epoch, seq } = message.payload;
    if (!isNewer({ epoch, seq }, version)) return { kind: 'ignored' };
    if (message.command === 'snapshot') {
      data = toData(message.payload.state);
      version = { epoch, seq };
      return { kind: 'replaced' };
    }
    if (data === null || version?.epoch !== epoch || version.seq + 1 !== seq) return { kind: 'gap' };
    for (const change of message.payload.changes) applyChange(data, change);
    version = { epoch, seq };
    return { kind: 'changed', changes: message.payload.changes };
  }

  const isBehind = (): boolean => newest !== null && isNewer(newest, version);

  return {
    receive(message) {
      const { epoch, seq } = message.payload;
      if (isNewer({ epoch, seq }, newest)) newest = { epoch, seq };
      if (message.command === 'alive') return { kind: isBehind() ? 'gap' : 'ignored' };
      return take(message);
    },
    data: () => data,
    version: () => version,
    isBehind,
  };
}
