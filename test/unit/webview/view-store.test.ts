import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BlockState, HostToView, ViewChange, ViewState } from '../../../src/protocol/generated/view.gen.ts';
import { createViewStore, type StateMessage } from '../../../webview-ui/src/store/view-store.ts';
import { toData } from '../../../webview-ui/src/store/view-data.ts';
import { baseState, haltView, sessions } from '../../webview/state-fixture.ts';

const FEEDS = Number(process.env['ROBOSMITH_VIEW_FEEDS'] ?? 300);

const block = (name: string, visits: number): BlockState => ({
  block: name,
  status: 'active',
  visits,
  attempt: 1,
  since: null,
  durationMs: null,
  waitsFor: [],
  heads: 1,
  progress: null,
});

const change = fc.oneof(
  fc
    .tuple(fc.constantFrom('a', 'b', 'c'), fc.nat())
    .map(([name, visits]): ViewChange => ({ kind: 'blocks', blocks: [block(name, visits)] })),
  fc
    .tuple(fc.constantFrom('a', 'b'), fc.nat({ max: 2 }), fc.nat())
    .map(([name, row, count]): ViewChange => ({ kind: 'rows', rows: [{ block: name, row, count, lastStep: count }] })),
  fc.boolean().map((waits): ViewChange => ({ kind: 'halts', halts: waits ? [haltView()] : [] })),
  fc.nat({ max: 4 }).map((count): ViewChange => ({ kind: 'sessions', sessions: sessions().slice(0, count) })),
  fc.nat().map((since): ViewChange => ({ kind: 'engine', engine: { kind: 'lost', since } })),
  fc.constant<ViewChange>({ kind: 'integration', integration: null }),
);

/** Simulates the host: keeps the true state and creates the messages about its changes. */
function playHost(changes: readonly (readonly ViewChange[])[]) {
  const truth = createViewStore();
  const messages: StateMessage[] = [];
  const say = (message: StateMessage): void => {
    truth.receive(structuredClone(message));
    messages.push(message);
  };
  say({ protocol: 1, command: 'snapshot', payload: { epoch: 1, seq: 1, state: baseState() } });
  for (const [index, some] of changes.entries())
    say({ protocol: 1, command: 'patch', payload: { epoch: 1, seq: index + 2, changes: some } });
  return { truth, messages };
}

/** Returns the snapshot of a state. */
function snapshotOf(truth: ReturnType<typeof createViewStore>): StateMessage {
  const data = truth.data();
  const version = truth.version();
  if (data === null || version === null) throw new Error('the host has a state');
  const { workflow } = data;
  const state: ViewState = {
    ...data,
    workflow:
      workflow === null
        ? null
        : {
            ...workflow,
            blocks: [...workflow.blocks.values()],
            rows: [...workflow.rows.values()],
            visits: [...workflow.visits.values()],
          },
  };
  return { protocol: 1, command: 'snapshot', payload: { ...version, state } };
}

/** The effect of a bad connection on a message: it is lost, arrives once or twice, and may be delayed. */
const fate = fc.record({ copies: fc.constantFrom(0, 1, 1, 1, 2), delay: fc.constantFrom(0, 0, 0, 1, 3, 9) });

test('messages that are lost, doubled, reordered or late heal', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 25 }),
      fc.infiniteStream(fate),
      (changes, fates) => {
        const { truth, messages } = playHost(changes);
        const arrivals = messages
          .flatMap((message, index) => {
            const { copies, delay } = fates.next().value as { copies: number; delay: number };
            return Array.from({ length: copies }, (_, copy) => ({ message, at: index + delay * (copy + 1) }));
          })
          .sort((one, other) => one.at - other.at);
        const view = createViewStore();
        for (const { message } of arrivals) view.receive(structuredClone(message));
        // The next `alive` message makes the view detect any gap, and the requested snapshot closes it.
        const alive = { epoch: 1, seq: truth.version()?.seq ?? 0, time: 0 };
        view.receive({ protocol: 1, command: 'alive', payload: alive });
        if (view.isBehind()) view.receive(snapshotOf(truth));
        expect(view.isBehind()).toBe(false);
        expect(view.version()).toEqual(truth.version());
        expect(view.data()).toEqual(truth.data());
      },
    ),
    { numRuns: FEEDS },
  );
});

test('a state is never older than the one before', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(change, { maxLength: 2 }), { minLength: 1, maxLength: 15 }),
      fc.infiniteStream(fc.nat()),
      (changes, numbers) => {
        const { messages } = playHost(changes);
        const view = createViewStore();
        let before = 0;
        for (let turn = 0; turn < messages.length * 2; turn += 1) {
          const message = messages[numbers.next().value % messages.length] as StateMessage;
          const received = view.receive(structuredClone(message));
          const now = view.version()?.seq ?? 0;
          expect(now).toBeGreaterThanOrEqual(before);
          expect(received.kind === 'changed').toBe(now === before + 1 && message.command === 'patch');
          before = now;
        }
      },
    ),
    { numRuns: FEEDS },
  );
});

const patch = (epoch: number, seq: number): Extract<HostToView, { command: 'patch' }> => ({
  protocol: 1,
  command: 'patch',
  payload: { epoch, seq, changes: [{ kind: 'blocks', blocks: [block('a', seq)] }] },
});
const snapshot = (epoch: number, seq: number): Extract<HostToView, { command: 'snapshot' }> => ({
  protocol: 1,
  command: 'snapshot',
  payload: { epoch, seq, state: baseState() },
});

test('a patch before any snapshot is a gap', () => {
  const view = createViewStore();
  expect(view.receive(patch(1, 1))).toEqual({ kind: 'gap' });
  expect(view.data()).toBeNull();
});

test('a host that began anew replaces the state, and its predecessor is ignored', () => {
  const view = createViewStore();
  view.receive(snapshot(1, 40));
  expect(view.receive(patch(2, 2))).toEqual({ kind: 'gap' });
  expect(view.receive(patch(1, 41))).toEqual({ kind: 'changed', changes: patch(1, 41).payload.changes });
  expect(view.isBehind()).toBe(true);
  expect(view.receive(snapshot(2, 2))).toEqual({ kind: 'replaced' });
  expect(view.receive(patch(1, 42))).toEqual({ kind: 'ignored' });
  expect(view.version()).toEqual({ epoch: 2, seq: 2 });
  expect(view.isBehind()).toBe(false);
});

test('changes of a workflow that is not there are dropped', () => {
  const view = createViewStore();
  const none = { ...baseState(), workflow: null };
  view.receive({ protocol: 1, command: 'snapshot', payload: { epoch: 1, seq: 1, state: none } });
  view.receive(patch(1, 2));
  expect(view.data()).toEqual(toData(none));
});
