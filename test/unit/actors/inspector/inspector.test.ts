import { assign, createActor, createMachine, setup } from 'xstate';
import { beforeEach, describe, expect, test } from 'vitest';
import { createInspector, type Inspector } from '#actors/inspector/index.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';

const LIGHT = createMachine({
  id: 'light',
  initial: 'red',
  states: { red: { on: { GO: 'green' } }, green: { on: { STOP: 'red' } }, off: { type: 'final' } },
  on: { END: '.off' },
});

let inspector: Inspector;
let warnings: string[];
let redacted: number;

beforeEach(() => {
  warnings = [];
  redacted = 0;
  inspector = createInspector({
    now: () => 5,
    redact: (text) => {
      redacted += 1;
      return text.replaceAll('sk-', '[key]');
    },
    warn: (message) => void warnings.push(message),
  });
});

function listen(): { readonly seen: InspectionEvent[]; readonly stop: () => void } {
  const seen: InspectionEvent[] = [];
  return { seen, stop: inspector.subscribe((event) => void seen.push(event)) };
}

/** Returns whether the inspector reads what an event does to an actor: it redacts each text that it reads. */
function isObserved(actor: { readonly send: (event: { readonly type: 'GO' | 'STOP' }) => void }): boolean {
  const before = redacted;
  for (const type of ['GO', 'STOP'] as const) actor.send({ type });
  return redacted > before;
}

const kinds = (events: readonly InspectionEvent[]): readonly string[] =>
  events.map((event) => {
    if (event.type === '@xstate.actor') return `actor ${event.name}`;
    if (event.type === '@xstate.event') return `event ${event.event.type}`;
    return `${event.type === '@xstate.snapshot' ? 'snapshot' : 'microstep'} ${JSON.stringify(event.snapshot.value)}`;
  });

describe('an inspector', () => {
  test('shows an actor that was there before, then what happens to it', () => {
    const actor = createActor(LIGHT).start();
    inspector.watch('run 1', actor);
    actor.send({ type: 'GO' });
    const { seen } = listen();
    actor.send({ type: 'STOP' });
    expect(kinds(seen)).toEqual(['actor run 1', 'event STOP', 'microstep "red"', 'snapshot "red"']);
    expect(seen[0]).toMatchObject({
      sessionId: `a1/${actor.sessionId}`,
      snapshot: { status: 'active', value: 'green' },
    });
    expect(JSON.parse(seen[0]?.type === '@xstate.actor' ? (seen[0].definition ?? '') : '')).toMatchObject({
      id: 'light',
    });
  });

  test('observes nothing while nobody watches, and no more after the last has left', () => {
    const actor = createActor(LIGHT).start();
    inspector.watch('run 1', actor);
    expect(isObserved(actor)).toBe(false);
    const first = listen();
    const second = listen();
    expect(isObserved(actor)).toBe(true);
    first.stop();
    expect(isObserved(actor)).toBe(true);
    second.stop();
    expect(isObserved(actor)).toBe(false);
  });

  test('tells a second subscriber of all actors, and the first one nothing new', () => {
    const actor = createActor(LIGHT).start();
    inspector.watch('run 1', actor);
    inspector.watchStandIns(() => [{ id: 'key/a', name: 'key a', status: 'active', value: 'healthy', context: null }]);
    const first = listen();
    actor.send({ type: 'GO' });
    const before = first.seen.length;
    const second = listen();
    expect(kinds(second.seen)).toEqual(['actor run 1', 'actor key a']);
    expect(second.seen[0]).toMatchObject({ snapshot: { value: 'green' } });
    expect(first.seen.length).toBe(before);
    actor.send({ type: 'STOP' });
    expect(kinds(second.seen.slice(2))).toEqual(kinds(first.seen.slice(before)));
    expect(kinds(second.seen.slice(2))).toEqual(['event STOP', 'microstep "red"', 'snapshot "red"']);
  });

  test('shows an actor in a context by its id, not by all that it leads to', () => {
    const parent = setup({
      types: { context: {} as { readonly kid: unknown } },
      actors: { child: LIGHT },
    }).createMachine({
      id: 'parent',
      context: ({ spawn }) => ({ kid: spawn('child', { id: 'kid' }) }),
    });
    inspector.watch('run 1', createActor(parent).start());
    const { seen } = listen();
    expect(seen[0]).toMatchObject({ name: 'run 1', snapshot: { context: { kid: '[actor kid]' } } });
  });

  test('gives actors of two systems different ids', () => {
    const actors = [createActor(LIGHT), createActor(LIGHT)];
    for (const [at, actor] of actors.entries()) inspector.watch(`run ${at}`, actor.start());
    const { seen } = listen();
    expect(new Set(seen.map(({ sessionId }) => sessionId)).size).toBe(2);
  });

  test('introduces a child before its first event, with its parent', () => {
    const parent = setup({ actors: { child: LIGHT } }).createMachine({
      id: 'parent',
      initial: 'idle',
      states: { idle: { on: { CALL: 'calling' } }, calling: { invoke: { id: 'kid', src: 'child' } } },
    });
    const actor = createActor(parent).start();
    inspector.watch('run 1', actor);
    const { seen } = listen();
    actor.send({ type: 'CALL' });
    const child = seen.find((event) => event.type === '@xstate.actor' && event.name === 'kid');
    expect(child).toMatchObject({ parentId: `a1/${actor.sessionId}` });
    const first = seen.findIndex(({ sessionId }) => sessionId === child?.sessionId);
    expect(seen[first]).toBe(child);
    expect(seen.filter((event) => event.type === '@xstate.actor' && event.name === 'kid').at(-1)).toMatchObject({
      snapshot: { value: 'red' },
    });
  });

  test('shows the last state of an actor that ends', async () => {
    const actor = createActor(LIGHT).start();
    inspector.watch('run 1', actor);
    const { seen } = listen();
    actor.send({ type: 'END' });
    await Promise.resolve();
    expect(seen.at(-1)).toMatchObject({ type: '@xstate.snapshot', snapshot: { status: 'done', value: 'off' } });
    expect(kinds(listen().seen)).toEqual([]);
  });

  test('keeps a sink that throws away from the actor', () => {
    const actor = createActor(LIGHT).start();
    inspector.watch('run 1', actor);
    let count = 0;
    inspector.subscribe(() => {
      count += 1;
      if (count > 1) throw new Error('broken sink');
    });
    actor.send({ type: 'GO' });
    expect(actor.getSnapshot().value).toBe('green');
    expect(warnings).toEqual(["run 1 can't be inspected: broken sink"]);
    expect(isObserved(actor)).toBe(false);
  });

  test('redacts events, contexts and names', () => {
    const machine = setup({ types: { context: {} as { readonly note: string } } }).createMachine({
      id: 'm',
      context: { note: 'sk-1' },
      on: { SET: { actions: assign({ note: () => 'sk-2' }) } },
    });
    const actor = createActor(machine).start();
    inspector.watch('run sk-0', actor);
    const { seen } = listen();
    actor.send({ type: 'SET', value: 'sk-3' });
    expect(seen.length).toBeGreaterThan(2);
    expect(JSON.stringify(seen)).not.toContain('sk-');
  });

  test('emits parts that are no actors when they change only', () => {
    let value = 'healthy';
    inspector.watchStandIns(() => [{ id: 'key/a', name: 'key a', status: 'active', value, context: { until: null } }]);
    const { seen } = listen();
    inspector.changed();
    value = 'cooling';
    inspector.changed();
    expect(kinds(seen)).toEqual(['actor key a', 'snapshot "cooling"']);
  });
});
