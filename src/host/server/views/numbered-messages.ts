import type { HostToView, ViewChange, ViewState } from '#protocol/generated/view.gen.ts';
import { VIEW_PROTOCOL } from '#protocol/view/read-message.ts';

/** A view detects a lost message within this time. */
const ALIVE_MS = 3_000;

type Payload<Command extends HostToView['command']> = Extract<HostToView, { command: Command }>['payload'];

/** The messages to one view. Snapshots and patches are numbered, so that the view detects a lost one. */
export interface NumberedMessages {
  send<Command extends HostToView['command']>(command: Command, payload: Payload<Command>): void;
  /** Sends changes as the next patch; ignored while the view has no snapshot. */
  patch(changes: readonly ViewChange[]): void;
  /** Sends the whole state; patches follow from now on. */
  snapshot(state: () => ViewState): void;
  /** Holds back patches until the next snapshot. */
  hold(): void;
  /** Returns whether the view has a snapshot. */
  isShown(): boolean;
  end(): void;
}

let lastEpoch = 0;

/** Returns an epoch that is larger than those of all earlier views, also of earlier hosts. */
function nextEpoch(now: number): number {
  lastEpoch = Math.max(lastEpoch + 1, now);
  return lastEpoch;
}

export function createNumberedMessages(post: (message: HostToView) => void, now: () => number): NumberedMessages {
  const epoch = nextEpoch(now());
  let seq = 0;
  let isShown = false;
  const send: NumberedMessages['send'] = (command, payload) =>
    post({ protocol: VIEW_PROTOCOL, command, payload } as unknown as HostToView);
  const alive = setInterval(() => {
    if (isShown) send('alive', { epoch, seq, time: now() });
  }, ALIVE_MS).unref();
  return {
    send,
    patch: (changes) => {
      if (!isShown || changes.length === 0) return;
      seq += 1;
      send('patch', { epoch, seq, changes });
    },
    snapshot: (state) => {
      isShown = true;
      seq += 1;
      send('snapshot', { epoch, seq, state: state() });
    },
    hold: () => {
      isShown = false;
    },
    isShown: () => isShown,
    end: () => {
      clearInterval(alive);
      isShown = false;
    },
  };
}
