import type { HostToView, ViewKind } from '#protocol/generated/view.gen.ts';
import { connect } from '../connection/host.ts';
import { createViewStore } from '../store/view-store.ts';
import type { StateMessage } from '../store/view-store.ts';
import { readStoredState } from './stored-state.ts';
import { ViewModel } from './view-model.svelte.ts';

const TICK_MS = 1000;
/**
 * Minimum time in milliseconds between two snapshot requests. It is needed because, while messages are missing, each
 * further message triggers a request.
 */
const ASK_AGAIN_MS = 1000;
/** Delay in milliseconds after which a hidden page applies messages, because browsers stop its animation frames. */
const UNSEEN_MS = 250;
/**
 * Minimum time in milliseconds between two updates of a busy view. One frame costs about as much for three events as
 * for one. With this limit, 50 events per second need 20 frames instead of 50, and every event is shown within 100 ms.
 */
const BUSY_MS = 40;

const isState = (message: HostToView): message is StateMessage =>
  message.command === 'snapshot' || message.command === 'patch' || message.command === 'alive';

/** Returns true for messages that can arrive in quick succession. All others are answers that the user waits for. */
const isFrequent = ({ command }: HostToView): boolean =>
  command === 'patch' || command === 'stream' || command === 'alive';

/**
 * Returns a function that schedules `call` in an animation frame: in the next frame if the last call is long enough ago
 * or if `isUrgent`, otherwise in the first frame after `BUSY_MS`. If the page is hidden, `call` runs after a short
 * delay.
 */
function pacer(call: () => void): (isUrgent: boolean) => void {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let calledAt = Number.NEGATIVE_INFINITY;
  const run = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    [frame, timer] = [0, undefined];
    calledAt = performance.now();
    call();
  };
  const inFrame = (): void => {
    frame = requestAnimationFrame(run);
    // The timer is needed because the page may become hidden before the frame.
    timer = setTimeout(run, UNSEEN_MS);
  };
  return (isUrgent) => {
    if (frame !== 0 || (timer !== undefined && (!isUrgent || document.hidden))) return;
    clearTimeout(timer);
    const wait = isUrgent ? 0 : BUSY_MS - (performance.now() - calledAt);
    if (document.hidden) timer = setTimeout(run, UNSEEN_MS);
    else if (wait <= 0) inFrame();
    else timer = setTimeout(inFrame, wait);
  };
}

/** Connects a view to its host. Messages are applied in animation frames. */
export function openView(kind: ViewKind): ViewModel {
  const store = createViewStore();
  let inbox: HostToView[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;

  function ask(): void {
    if (performance.now() - askedAt < ASK_AGAIN_MS) return;
    askedAt = performance.now();
    host.send('requestSnapshot', { have: store.version() });
  }

  function takeState(message: StateMessage): void {
    const received = store.receive(message);
    const data = store.data();
    if (received.kind === 'replaced' && data !== null) model.replace(data);
    else if (received.kind === 'changed') model.change(received.changes);
    if (store.isBehind()) ask();
  }

  const flush = pacer(() => {
    const messages = inbox;
    inbox = [];
    for (const message of messages) {
      if (isState(message)) takeState(message);
      else model.take(message);
    }
  });

  const host = connect({
    onMessage: (message) => {
      inbox.push(message);
      flush(!isFrequent(message));
    },
    onOpen: () => {
      askedAt = Number.NEGATIVE_INFINITY;
      model.reconnect();
      host.send('ready', { view: kind });
    },
    onLost: () => model.lose(),
  });
  const model = new ViewModel(host);
  const kept = readStoredState(host.restore());
  model.tab = kind === 'mission-control' ? kept.tab : kind;
  model.isFollowing = kept.isFollowing;
  model.leads = kind === 'mission-control';
  setInterval(() => {
    if (document.hidden) return;
    const showsTime = model.halts.length > 0 || model.integration !== null;
    if (model.totals?.ticking === true || model.engine.kind === 'lost' || showsTime) model.tick();
  }, TICK_MS);
  document.addEventListener('visibilitychange', () => model.tick());
  return model;
}
