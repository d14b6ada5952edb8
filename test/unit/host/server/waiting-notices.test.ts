import { expect, test } from 'vitest';
import type { HostedRun } from '#host/server/runs/hosted-runs.ts';
import { waitingNotices } from '#host/server/waiting-notices.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { HaltId, RunId, SessionId } from '#protocol/id.ts';
import type { Notice } from '#protocol/notice.ts';
import type { Halt } from '#protocol/response.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import { verifies } from '../../../e2e/verifies.ts';

const RUN = 'r1' as RunId;
const SESSION = { id: 's1' as SessionId, title: 'Fix', why: null, runs: [RUN], resolving: null } as unknown as Session;

/** Creates a hosted run whose halts are set by the test, and records its notifications. */
function noticing(session: Session | null = SESSION) {
  const notices: Notice[] = [];
  const later: (() => void)[] = [];
  let halts: readonly Halt[] = [];
  const { heard, moved } = waitingNotices({
    root: '/project',
    hosted: { find: () => ({ run: { halts: () => halts } }) as unknown as HostedRun },
    sessionOf: () => session,
    notifier: { notify: (notice) => void notices.push(notice) },
    soon: (work) => void later.push(work),
    now: () => 5,
  });
  return {
    moved,
    heard: (event: object) => heard({ run_id: RUN, ...event } as RoboSmithEvent),
    waits: (...ids: readonly string[]) => {
      halts = ids.map((id) => ({ halt_id: id as HaltId, block: 'Edit', why: 'gate', until: null }) as unknown as Halt);
    },
    waitsUntil: (until: number) => {
      halts = halts.map((halt) => ({ ...halt, until }));
    },
    titles: () => {
      for (const work of later.splice(0)) work();
      return notices.splice(0).map(({ title }) => title);
    },
  };
}

const halted = (id: string): object => ({ type: 'block.halted', halt_id: id, why: 'gate' });

test('each halt is told once, while other branches still run', () => {
  verifies('cli.notify');
  const { heard, waits, titles } = noticing();
  waits('h1');
  heard(halted('h1'));
  expect(titles()).toEqual(['Fix: Edit waits']);
  waits('h1', 'h2');
  heard(halted('h2'));
  heard({ type: 'run.halted', halts: ['h1', 'h2'] });
  expect(titles()).toEqual(['Fix: Edit waits']);
  waits('h2');
  heard({ type: 'block.answered', halt_id: 'h1', answer: 'next' });
  heard({ type: 'run.halted', halts: ['h2'] });
  expect(titles()).toEqual([]);
});

test('what is answered at once, or goes on by itself, is not told', () => {
  const { heard, waits, waitsUntil, titles } = noticing();
  waits('h1');
  heard(halted('h1'));
  waits();
  expect(titles()).toEqual([]);
  waits('h2');
  waitsUntil(9);
  heard(halted('h2'));
  expect(titles()).toEqual([]);
});

test('a run outside of sessions is told when it has ended, one of a session with the session', () => {
  const outside = noticing(null);
  outside.heard({ type: 'run.finished', outcome: 'interrupted' });
  outside.heard({ type: 'run.finished', outcome: 'failed' });
  expect(outside.titles()).toEqual(['Run r1 has failed']);
  const inside = noticing();
  inside.heard({ type: 'run.finished', outcome: 'failed' });
  expect(inside.titles()).toEqual([]);
});

const standing = (state: SessionState): Session => ({ ...SESSION, state });

test('a session that moved by itself is told, what a person did to it is not', () => {
  const { moved, waits, titles } = noticing();
  moved(standing('ready'), 'run.completed');
  moved(standing('failed'), 'session.creation_failed');
  moved(standing('halted'), 'session.dependency_lost');
  expect(titles()).toEqual(['Fix is done', 'Fix has failed', 'Fix has stopped']);
  moved(standing('ready'), 'session.update_ended');
  moved(standing('ready'), 'session.merge_refused');
  moved(standing('halted'), 'session.withdraw');
  moved(standing('ready'), 'session.created');
  moved(standing('halted'), 'session.forked');
  expect(titles()).toEqual([]);
  waits('h1');
  moved(standing('halted'), 'run.halted');
  expect(titles()).toEqual([]);
});
