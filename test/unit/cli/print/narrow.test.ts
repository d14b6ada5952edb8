import { expect, test } from 'vitest';
import { printInbox } from '#cli/print/inbox.ts';
import { statusLines } from '#cli/print/project-status.ts';
import { printSessions } from '#cli/print/sessions.ts';
import type { ProjectStatus } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { aSession } from '../../machines/session/a-session.ts';
import { fakeIo } from '../fake-io.ts';

const WHY = 'its run waits for a person: robosmith inbox';

const listing = (number: number, why: string | null): SessionListing => ({
  ...{ session: aSession(number, { state: why === null ? 'ready' : 'halted', why, title: `The title of ${number}` }) },
  ...{ overlap: 'Clash (semantic)', clashes: [], conflicts: null, queue: why === null ? 'complete' : 'halted' },
  ...{ order: null, waits: null, run: null, calls: null, attempt: null },
  health: { colour: 'red', reason: why ?? 'a merge is under way' },
});

const LISTINGS = [listing(1, WHY), listing(2, null)];

/** What a terminal of this width is shown. */
function onScreen(columns: number) {
  let text = '';
  const screen = { isTerminal: true, columns: () => columns, write: (more: string) => void (text += more) };
  const io = fakeIo({ stdout: screen, stderr: screen, env: { FORCE_COLOR: '0' } });
  return { io, lines: () => text.split('\n') };
}

const widest = (lines: readonly string[]): number => Math.max(...lines.map(({ length }) => length));

test.each([40, 60, 80, 200])('a list of sessions is no wider than %i columns, and its notes are whole', (columns) => {
  const { io, lines } = onScreen(columns);
  printSessions(LISTINGS, false, io);
  expect(widest(lines())).toBeLessThanOrEqual(columns);
  expect(lines().join('\n').replaceAll(/\s+/g, ' ')).toContain(WHY);
});

test.each([40, 80])('nor is the status', (columns) => {
  const status: ProjectStatus = {
    ...{ engine: { kind: 'host', host: 'here', pid: 12_345_678, since: 0 }, waiting: 12, findings: 3 },
    ...{ sessions: LISTINGS, runs: [] },
  };
  const shown = statusLines(status, { disk: null, all: false }, onScreen(columns).io);
  expect(widest(shown)).toBeLessThanOrEqual(columns);
  expect(shown.join('\n').replaceAll(/\s+/g, ' ')).toContain(WHY);
});

test('nor is the inbox, whose commands are whole when they are copied', () => {
  const { io, lines } = onScreen(40);
  const run = 'r0a1b2c3d4e5f' as RunId;
  const { id } = aSession(1);
  printInbox(
    {
      waiting: [],
      sessions: [
        { session: id, title: 'T', state: 'failed', since: 0, why: WHY, answers: [`robosmith resume ${run} --retry`] },
      ],
    },
    io,
  );
  expect(widest(lines())).toBeLessThanOrEqual(40);
  expect(lines().join('\n')).toContain(`    robosmith resume ${run} \\\n      --retry\n`);
});
