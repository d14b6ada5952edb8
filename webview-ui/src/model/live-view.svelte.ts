import type { HostToView, ViewKind } from '#protocol/generated/view.gen.ts';
import { connect } from '../host.ts';
import { createViewStore } from '../store/view-store.ts';
import type { StateMessage } from '../store/view-store.ts';
import { readKept } from './kept.ts';
import { ViewModel } from './view-model.svelte.ts';

const TICK_MS = 1000;
/**
 * Minimum time in milliseconds between two snapshot requests. While messages are missing, each later message triggers a
 * request.
 */
const ASK_AGAIN_MS = 1000;
/** Delay in milliseconds after which a hidden page applies messages, because browsers stop its animation frames. */
const UNSEEN_MS = 250;

const isState = (message: HostToView): message is StateMessage =>
  message.command === 'snapshot' || message.command === 'patch' || message.command === 'alive';

/** Returns a function that calls `call` once in the next animation frame, or after a short delay in a hidden page. */
function onceAFrame(call: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    const run = (): void => {
      if (!isDue) return;
      isDue = false;
      call();
    };
    if (document.hidden) setTimeout(run, UNSEEN_MS);
    else requestAnimationFrame(run);
  };
}

/** Connects a view to its host. Messages are applied once per animation frame. */
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

  const flush = onceAFrame(() => {
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
      flush();
    },
    onOpen: () => {
      askedAt = Number.NEGATIVE_INFINITY;
      host.send('ready', { view: kind });
    },
    onLost: () => model.lose(),
  });
  const model = new ViewModel(host);
  const kept = readKept(host.restore());
  model.tab = kind === 'mission-control' ? kept.tab : kind;
  model.isFollowing = kept.isFollowing;
  setInterval(() => {
    if (document.hidden) return;
    const showsTime = model.halts.length > 0 || model.integration !== null;
    if (model.totals?.ticking === true || model.engine.kind === 'lost' || showsTime) model.tick();
  }, TICK_MS);
  document.addEventListener('visibilitychange', () => model.tick());
  return model;
}
