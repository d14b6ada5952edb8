import fc from 'fast-check';
import type { Item, Snapshot } from '#cli/console/item.ts';
import { firstModel, type Message, type Model, type Size } from '#cli/console/model.ts';
import { update } from '#cli/console/update.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId, SessionId } from '#protocol/id.ts';
import type { WaitingHalt } from '#protocol/inbox.ts';
import { HOSTILE_TEXTS } from '../../../support/hostile-texts.ts';

export const NOW = 1_000_000;

export const halt = (id: string, more: Partial<WaitingHalt> = {}): WaitingHalt => ({
  run: 'r1' as RunId,
  session: 's1' as SessionId,
  title: 'Log in by mail',
  node: 'Fix' as NodeId,
  steps: 3,
  halt_id: id as HaltId,
  block: 'Fix__Review' as BlockId,
  frame: '/' as FramePath,
  why: 'manual',
  since: NOW - 180_000,
  until: null,
  answers: [],
  ...more,
});

export const item = (key: string, more: Partial<Item> = {}): Item => ({
  key,
  session: key as SessionId,
  run: 'r1' as RunId,
  title: `Title of ${key}`,
  group: 'running',
  state: 'running',
  place: 'Build',
  since: NOW - 60_000,
  halts: [],
  note: '',
  said: '',
  changes: null,
  cost: null,
  base: 'main',
  resumes: null,
  ...more,
});

export const waiting = (key: string, halts: readonly WaitingHalt[], more: Partial<Item> = {}): Item =>
  item(key, { group: 'waiting', state: 'waits', place: 'Review', halts, ...more });

export const snapshot = (...items: readonly Item[]): Snapshot => ({
  items,
  engine: null,
  over: 0,
  findings: 0,
  disk: null,
});

export const modelOf = (items: readonly Item[], size: Size = { columns: 80, rows: 24 }): Model => {
  const [model] = update(firstModel(size, NOW, { project: 'shop', hasKeys: true }), {
    kind: 'read',
    snapshot: snapshot(...items),
  });
  return model;
};

const NAMED = { '<enter>': 'enter', '<esc>': 'escape', '<down>': 'down', '<up>': 'up', '<back>': 'backspace' } as const;

/** Returns the messages for typed keys: `<enter>`, `<esc>`, `<down>`, `<up>`, `<back>`, or single characters. */
export const typing = (text: string): readonly Message[] =>
  [...text.matchAll(/<(?:enter|esc|down|up|back)>|./gsu)].map(([word]) => ({
    kind: 'key',
    key: word in NAMED ? { name: NAMED[word as keyof typeof NAMED], text: '' } : { name: 'text', text: word },
  }));

/** Applies messages, and returns the last state with all effects. */
export function after(model: Model, messages: readonly Message[]): ReturnType<typeof update> {
  return messages.reduce<ReturnType<typeof update>>(
    ([now, effects], message) => {
      const [next, more] = update(now, message);
      return [next, [...effects, ...more]];
    },
    [model, []],
  );
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(...HOSTILE_TEXTS.map(([, one]) => one)),
);

const haltsOf = (key: string): fc.Arbitrary<readonly WaitingHalt[]> =>
  fc
    .array(
      fc.record({
        halt_id: fc.constantFrom('h1', 'h2', 'h3').map((id) => `${key}-${id}` as HaltId),
        why: fc.constantFrom('manual', 'gate', 'flagged', 'unsafe'),
        rejections_left: fc.constantFrom(0, 2),
      }),
      { maxLength: 3 },
    )
    .map((all) => all.map((one) => halt(one.halt_id, one)));

const itemWith = (key: string): fc.Arbitrary<Item> =>
  fc
    .record({
      halts: haltsOf(key),
      title: text,
      note: text,
      said: text,
      place: text,
      group: fc.constantFrom('interrupted', 'running', 'queued', 'resting'),
      state: fc.constantFrom('failed', 'ready', 'running', 'held', 'queued'),
      resumes: fc.constantFrom(null, 'session', 'run'),
      changes: fc.option(fc.record({ added: fc.nat(), deleted: fc.nat(), files: fc.nat(99) })),
      cost: fc.option(fc.record({ tokens: fc.nat(), microUsd: fc.option(fc.nat()) })),
      since: fc.nat(NOW),
    })
    .map((parts) => item(key, parts.halts.length > 0 ? { ...parts, group: 'waiting', state: 'waits' } : parts));

/** Generates arbitrary lists of items with hostile texts. */
export const anyItems: fc.Arbitrary<readonly Item[]> = fc
  .subarray(['s1', 's2', 's3', 's4', 's5', 's6'])
  .chain((keys) => fc.tuple(...keys.map(itemWith)));

const anyKey: fc.Arbitrary<Message> = fc
  .oneof(
    fc
      .constantFrom(
        ...(['up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown', 'escape', 'backspace'] as const),
        ...(['delete', 'tab', 'enter', 'ctrl-u', 'ctrl-w', 'ctrl-l'] as const),
      )
      .map((name) => ({ name, text: '' })),
    fc.constantFrom(...'dsmhrptxnyaq?jkgG '.split('')).map((one) => ({ name: 'text' as const, text: one })),
    text.map((one) => ({ name: 'paste' as const, text: one })),
  )
  .map((key) => ({ kind: 'key', key }));

// The lines of a diff have no control characters: `patchLines` removes them.
const oneLine = (one: string): string => one.replaceAll(/[^\x20-\x7e]/g, '?');

const anyDialogData: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    kind: fc.constant('diff' as const),
    item: fc.constantFrom('s1', 's2'),
    title: text,
    lines: fc.array(fc.record({ kind: fc.constantFrom('added', 'context', 'header'), text: text.map(oneLine) })),
  }),
  fc.record({
    kind: fc.constant('blocks' as const),
    item: fc.constantFrom('s1', 's2'),
    halt: fc.constant(halt('s1-h1')),
    blocks: fc.array(text),
  }),
  fc.record({ kind: fc.constant('done' as const), item: fc.constantFrom('s1', 's2'), text }),
  fc.record({
    kind: fc.constant('refused' as const),
    item: fc.constantFrom('s1', 's2'),
    why: text,
    next: fc.array(text, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('unreadable' as const), why: text }),
);

const anySize: fc.Arbitrary<Size> = fc.record({
  columns: fc.integer({ min: 1, max: 140 }),
  rows: fc.integer({ min: 1, max: 40 }),
});

/** Generates arbitrary sequences of messages. */
export const anyMessages: fc.Arbitrary<readonly Message[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: anyKey },
    { weight: 2, arbitrary: anyItems.map((items): Message => ({ kind: 'read', snapshot: snapshot(...items) })) },
    { weight: 2, arbitrary: anyDialogData },
    { weight: 1, arbitrary: anySize.map((size): Message => ({ kind: 'resized', size })) },
  ),
  { maxLength: 40 },
);

export { anySize };
