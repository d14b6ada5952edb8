import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';

/** Returns the advice about a block with these fields, without the warnings. */
const adviceOn = (fields: object): readonly string[] =>
  compile([
    {
      path: 'workflows.json',
      text: JSON.stringify({
        version: 1,
        entry: 'A',
        nodes: { A: { entry_block: 'a', blocks: { a: { worker: 'Internal:Loom', ...fields } } } },
      }),
    },
  ]).diagnostics.flatMap(({ severity, advice }) => (severity === 'error' ? [advice] : []));

test.each([
  ['prompt', 'contract'],
  ['Instructions', 'contract'],
  ['on_success', 'onSuccess'],
  ['next', 'onSuccess'],
  ['else', 'onFailure'],
  ['timeout', 'timeout_ms'],
  ['files', 'artifact'],
])('the key %s of other tools is "%s" here, and all keys are listed', (key, near) => {
  const [advice = ''] = adviceOn({ [key]: 'x' });
  expect(advice).toMatch(new RegExp(`^Did you mean "${near}"\\? Known keys: worker, `));
  expect(advice).toContain('transitions, on, onSuccess, onFailure, max_rejections. A custom key');
});

test('a key that is like none has no suggestion', () => {
  expect(adviceOn({ banana: 1 })[0]).toMatch(/^Known keys: /);
});

test('an action that is written as a text shows the form of an action', () => {
  expect(adviceOn({ onSuccess: 'JUMP:b', onFailure: 'HALT' })).toEqual([
    'Write an object such as { "type": "jump", "block": "<block>" }.',
    'Write an object such as { "type": "stop_and_flag" }.',
  ]);
});

test.each([
  ['Internal:Noop', null],
  ['Internal:Lom', 'Internal:Loom'],
  ['Internal:testrunner', 'Internal:TestRunner'],
])('the built-in workers are listed for %s', (worker, near) => {
  const [advice = ''] = adviceOn({ worker });
  expect(advice).toMatch(
    new RegExp(`^${near === null ? '' : `Did you mean "${near}"\\? `}The built-in workers are Internal:Command, `),
  );
  expect(advice).toContain(', Internal:TestRunner, ');
});
