import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHostMessage, readViewMessage } from '../../../../src/protocol/view/read-message.ts';
import { baseState, completeState, factsOf, forkedState, haltedState } from '../../../webview/state-fixture.ts';

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../schemas/view.schema.json'), 'utf8'),
) as object;
const ajv = new Ajv({ allowUnionTypes: true, strict: false });
ajv.addSchema(schema, 'view');
const byHost = ajv.compile({ $ref: 'view#/definitions/HostToView' });
const byView = ajv.compile({ $ref: 'view#/definitions/ViewToHost' });

const FROM_HOST = [
  ...[baseState(), haltedState(), forkedState(), completeState()].map((state) => ({
    protocol: 1,
    command: 'snapshot',
    payload: { epoch: 1, seq: 1, state },
  })),
  { protocol: 1, command: 'patch', payload: { epoch: 1, seq: 2, changes: [{ kind: 'problems', problems: null }] } },
  { protocol: 1, command: 'block', payload: factsOf('Test_Fix__ProposeFix', null) },
  {
    protocol: 1,
    command: 'reply',
    payload: { request: 'a', ok: false, refusal: { code: 'x', message: 'y', next: null } },
  },
];
const FROM_VIEW = [
  { protocol: 1, command: 'ready', payload: { view: 'chat' } },
  { protocol: 1, command: 'requestSnapshot', payload: { have: { epoch: 1, seq: 0 } } },
  {
    protocol: 1,
    command: 'answer',
    payload: { request: 'a', run: 'r', halt: 'h', answer: { verb: 'jump', block: 'b', guidance: null } },
  },
  {
    protocol: 1,
    command: 'run',
    payload: { request: 'a', session: null, start: { node: 'n' }, step: false, input: null },
  },
];

const JUNK = [null, undefined, 0, -1, 1.5, 2 ** 40, '', 'x', true, [], {}, [1], { kind: 'x' }];

/** Returns the paths of a value and of all values in it. */
function pathsOf(value: unknown, at: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => pathsOf(item, [...at, index]))
    : Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...at, key]));
  return [at, ...inner];
}

function replaceAt(value: unknown, path: readonly (string | number)[], by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, index) => (index === key ? replaceAt(item, rest, by) : (item as unknown)));
  if (typeof value !== 'object' || value === null) return by;
  const object = value as Record<string, unknown>;
  return { ...object, [key]: replaceAt(object[key], rest, by) };
}

test.each([
  ['a host', FROM_HOST, readHostMessage],
  ['a view', FROM_VIEW, readViewMessage],
] as const)('messages of %s that fit the schema are taken', (_, messages, read) => {
  for (const message of messages) expect(read(message)).toEqual({ ok: true, message });
});

test.each([
  ['a host', FROM_HOST, readHostMessage, byHost],
  ['a view', FROM_VIEW, readViewMessage, byView],
] as const)('messages of %s with a part replaced are taken or refused as ajv does', (_, messages, read, validate) => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.constantFrom(...JUNK), fc.boolean(), (which, where, junk, adds) => {
      const message = messages[which % messages.length];
      const paths = pathsOf(message);
      const path = paths[where % paths.length] ?? [];
      const changed = replaceAt(message, adds ? [...path, 'extra'] : path, junk);
      // The round trip through JSON removes `undefined`, which doesn't exist in JSON.
      const received: unknown = JSON.parse(JSON.stringify(changed) ?? 'null');
      expect(read(received).ok).toBe(validate(received));
    }),
    { numRuns: 2000 },
  );
});

test('a refusal names the command and the place', () => {
  const message = { protocol: 1, command: 'ready', payload: { view: 'inbox' } };
  expect(readViewMessage(message)).toEqual({
    ok: false,
    why: 'ready: payload.view must be mission-control or chat or context',
  });
});

test.each([
  [{ protocol: 2, command: 'ready', payload: { view: 'chat' } }, 'protocol "number" instead of 1'],
  [{ protocol: 1, command: 'constructor', payload: {} }, 'unknown command "constructor"'],
  [{ protocol: 1, command: 'snapshot', payload: {} }, 'unknown command "snapshot"'],
  ['ready', 'not a message: string'],
  [null, 'not a message: object'],
])('%j is refused', (message, why) => {
  expect(readViewMessage(message)).toEqual({ ok: false, why });
});
