import type { HostToView, ViewChange } from '#protocol/generated/view.gen.ts';
import { applyChange, toData } from './view-data.ts';
import type { ViewData } from './view-data.ts';

/** Messages that carry the view's state, or the sequence number of its newest version. */
export type StateMessage = Extract<HostToView, { command: 'snapshot' | 'patch' | 'alive' }>;

/**
 * The epoch and sequence number of a message. Each message stream of a host is one epoch; later streams have larger
 * epochs.
 */
interface Version {
  readonly epoch: number;
  readonly seq: number;
}

/** The result of receiving a message. `gap`: messages were missed, and a snapshot must be requested. */
type Received =
  | { readonly kind: 'ignored' | 'gap' | 'replaced' }
  | { readonly kind: 'changed'; readonly changes: readonly ViewChange[] };

export interface ViewStore {
  receive(message: StateMessage): Received;
  data(): ViewData | null;
  version(): Version | null;
  /** Returns true if messages were missed. */
  isBehind(): boolean;
}

const isNewer = (one: Version, other: Version | null): boolean =>
  other === null || one.epoch > other.epoch || (one.epoch === other.epoch && one.seq > other.seq);

/**
 * Creates a store that applies messages in the order of their sequence numbers:
 * 1. A patch is applied only if it directly follows the last applied message.
 * 2. Messages that are not newer than the state are ignored.
 * 3. After a gap, the store reports `gap` for each message until a snapshot closes it.
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
