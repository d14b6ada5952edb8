import { expect, test } from 'vitest';
import { reporterFor } from '#cli/print/reporter.ts';
import { printSession } from '#cli/run/print-session.ts';
import { aSession } from '../../machines/session/a-session.ts';
import { fakeIo } from '../../../support/fake-io.ts';

test.each([
  [undefined, 'robosmith sessions merge'],
  ['packages/app', 'robosmith -C packages/app sessions merge'],
])('the work of a session is told with the command as it has to be typed here: -C %s', async (place, command) => {
  const io = fakeIo({ ...(place === undefined ? {} : { place }) });
  const session = aSession(1, { state: 'ready' });
  await printSession(session, '.', { reporter: reporterFor({}, undefined, io), io });
  expect(io.err()).toContain(`${session.branch}: ${command} ${session.id}\n`);
});
