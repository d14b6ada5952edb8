import { expect, test } from 'vitest';
import { sessionTitle } from '#cli/run/session-title.ts';
import type { NodeId } from '#protocol/id.ts';

const start = { node: 'Fix' as NodeId };

test.each([
  [null, 'Fix'],
  ['', 'Fix'],
  ['## The login fails\nwhen …', 'The login fails'],
  ['{"bug":"the login fails","strict":true}', 'the login fails'],
  ['{"issue":12,"mode":"fast"}', '12'],
  ['{ no JSON', '{ no JSON'],
  ['{}', 'Fix'],
])('the title of a run with the input %j is %j', (input, title) => {
  expect(sessionTitle({ input, start })).toBe(title);
});
