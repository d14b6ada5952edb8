import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readEvents, readMoves } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { SessionId } from '#protocol/id.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { A, newFolder, openLog, progress } from './temp-log.ts';

const S = 's00000001' as SessionId;

const moved = (to: SessionMoved['to'], more: Partial<SessionMoved> = {}): SessionMoved => ({
  type: 'session.moved',
  time: 5,
  session: S,
  title: 'Fix',
  from: 'queued',
  to,
  by: 'session.start',
  why: null,
  remarks: [],
  branch: 'robosmith/fix',
  worktree: null,
  ...more,
});

test('the moves of sessions stand between the events of runs, and each is read on its own', () => {
  verifies('engine.events.every-change');
  const folder = newFolder();
  const { log } = openLog(folder);
  log.writeMove(moved('creating'));
  log.write(progress(1, 'one'));
  log.writeMove(moved('running', { session: 's00000002' as SessionId }));
  log.writeMove(moved('failed', { from: 'creating', why: `a line\nand "run_id":"${A}"\u2028` }));
  log.close();
  expect(readMoves(fileCalls, folder, S).map(({ to }) => to)).toEqual(['creating', 'failed']);
  expect(readEvents(fileCalls, folder)).toEqual({ events: [progress(1, 'one')], damaged: 0, unread: [] });
  expect(readEvents(fileCalls, folder, { run: A }).events).toEqual([progress(1, 'one')]);
});

test('lines that are torn or strange are left out; without a log there is no history', () => {
  const folder = newFolder();
  expect(readMoves(fileCalls, folder, S)).toEqual([]);
  const { log } = openLog(folder);
  log.writeMove(moved('creating'));
  log.close();
  const file = path.join(folder, 'logs', 'events.jsonl');
  for (const strange of [{ to: 7 }, { time: 'now' }, { why: {} }, { from: 1 }])
    appendFileSync(file, `${JSON.stringify({ ...moved('ready'), ...strange })}\n`);
  appendFileSync(file, '{"type":"session.moved","session":"s00000001","ti');
  expect(readMoves(fileCalls, folder, S).map(({ to }) => to)).toEqual(['creating']);
});
