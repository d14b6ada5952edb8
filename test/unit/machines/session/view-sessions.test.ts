import { describe, expect, test } from 'vitest';
import { viewSessions } from '../../../../src/machines/session/view-sessions.ts';
import type { NodeId, SessionId } from '../../../../src/protocol/id.ts';
import { BASE_SIDE, type PairSemantics, type SemanticClash } from '../../../../src/protocol/semantic-clash.ts';
import type { Session } from '../../../../src/protocol/session.ts';
import { verifies } from '../../../e2e/verifies.ts';

const JOB = { start: { node: 'N' as NodeId }, manifest: '/m', input: null, script: null, stepMode: false };

const session = (letter: string, more: Partial<Session>): Session => ({
  id: `s${letter.repeat(8)}` as SessionId,
  title: `task ${letter}`,
  branch: letter,
  isWorktreeKept: false,
  remarks: [],
  isAttached: false,
  base: null,
  baseBranch: 'main',
  worktree: null,
  plan: [],
  changed: [],
  job: JOB,
  runs: [],
  state: 'queued',
  before: 'draft',
  isDone: false,
  resolving: null,
  unmerged: null,
  update: null,
  why: null,
  priority: null,
  submission: null,
  after: [],
  ports: null,
  createdAt: 1,
  updatedAt: 1,
  ...more,
});

const RULES = { maxParallel: 1, foldCase: false };

test('signals are independent of each other, and say whom one waits for', () => {
  verifies('worktrees.signals', 'worktrees.clash.direct');
  const views = viewSessions(
    [
      session('a', { state: 'running', submission: 1, plan: ['src/**'] }),
      session('b', { submission: 2, changed: ['src/x[1].ts'] }),
      session('c', { submission: 3, priority: 2, plan: ['docs/a.md'] }),
      session('d', { submission: 4, after: ['sbbbbbbbb' as SessionId] }),
      session('e', { state: 'merged', plan: ['src/a.ts'] }),
      session('f', { state: 'held' }),
    ],
    RULES,
  );
  const a = { id: 'saaaaaaaa', title: 'task a' };
  const b = { id: 'sbbbbbbbb', title: 'task b' };
  expect(views.map(({ overlap, queue, order, waits, clashes }) => [overlap, queue, order, waits, clashes])).toEqual([
    ['Clash', 'running', null, null, [{ with: b, files: ['src/x[1].ts'] }]],
    ['Clash', 'queued', 'FIFO #2', { why: 'clash', for: [a] }, [{ with: a, files: ['src/x[1].ts'] }]],
    ['Clear', 'queued', 'P:2', { why: 'slot', for: [] }, []],
    ['Unchecked', 'queued', 'FIFO #3', { why: 'dependency', for: [b] }, []],
    ['Unchecked', 'complete', null, null, []],
    ['Unchecked', 'held', null, null, []],
  ]);
});

test('work in conflict is a clash for both, with its files and hunks, as long as both are live', () => {
  verifies('worktrees.clash.textual');
  const [a, b, c] = [
    session('a', { state: 'ready', changed: ['x.ts'] }),
    session('b', { state: 'running', changed: ['y.ts'] }),
    session('c', { state: 'merged', changed: ['z.ts'] }),
  ];
  const hunk = (ours: string, theirs: string) => [
    { file: 'x.ts', line: 3, text: `<<<<<<< ${ours}\none\n=======\nother\n>>>>>>> ${theirs}` },
  ];
  const hunks = hunk('0123', '4567');
  const titled = hunk('task a', 'task b');
  const conflicts = [
    { sessions: [a.id, b.id] as const, files: ['x.ts'], hunks },
    { sessions: [a.id, c.id] as const, files: ['z.ts'], hunks: [] },
  ];
  const seen = viewSessions([a, b, c], RULES, { conflicts }).map((view) => [
    view.overlap,
    view.clashes,
    view.conflicts,
  ]);
  expect(seen).toEqual([
    ['Clash', [], [{ with: { id: b.id, title: 'task b' }, files: ['x.ts'], hunks: titled }]],
    ['Clash', [], [{ with: { id: a.id, title: 'task a' }, files: ['x.ts'], hunks: titled }]],
    ['Unchecked', [], []],
  ]);
  expect(viewSessions([a, b], RULES).map((view) => [view.overlap, view.conflicts])).toEqual([
    ['Clear', null],
    ['Clear', null],
  ]);
});

describe('work that git merges and that does not fit together', () => {
  const base = { branch: 'main', commit: 'c' };
  const [a, b, c] = [
    session('a', { state: 'ready', base, changed: ['x.ts'] }),
    session('b', { state: 'running', base, changed: ['y.ts'] }),
    session('c', { state: 'queued', plan: ['z.ts'] }),
  ];
  const clash: SemanticClash = {
    kind: 'renamed',
    name: 'greet',
    why: 'it is welcome now',
    changer: a.id,
    standing: 'likely',
    change: { file: 'x.ts', line: 1, text: 'function welcome' },
    use: { file: 'y.ts', line: 3, text: 'greet()' },
  };
  const overlaps = (semantics: readonly PairSemantics[], behind: ReadonlySet<SessionId> = new Set()) =>
    viewSessions([a, b, c], RULES, { conflicts: [], semantics, behind }).map(({ overlap }) => overlap);

  test('is not checked before the pair was compared; sessions without work have nothing to compare', () => {
    verifies('worktrees.clash.unchecked');
    expect(overlaps([])).toEqual(['Unchecked', 'Unchecked', 'Clear']);
    expect(overlaps([{ sessions: [a.id, b.id], clashes: [] }])).toEqual(['Clear', 'Clear', 'Clear']);
  });

  test('is a semantic clash for both, with the name of the other', () => {
    const semantics = [{ sessions: [a.id, b.id] as const, clashes: [clash] }];
    expect(overlaps(semantics)).toEqual(['Clash (semantic)', 'Clash (semantic)', 'Clear']);
    const views = viewSessions([a, b, c], RULES, { conflicts: [], semantics }).map((view) => view.semantics);
    expect(views).toEqual([
      [{ with: { id: b.id, title: b.title }, clashes: [clash] }],
      [{ with: { id: a.id, title: a.title }, clashes: [clash] }],
      [],
    ]);
  });

  test('work is not checked before it was compared with a base that has moved, which is named by its branch', () => {
    verifies('worktrees.clash.unchecked');
    const both = { sessions: [a.id, b.id] as const, clashes: [] };
    const behind = new Set([a.id]);
    expect(overlaps([both], behind)).toEqual(['Unchecked', 'Clear', 'Clear']);
    expect(overlaps([both, { sessions: [a.id, BASE_SIDE], clashes: [] }], behind)).toEqual(['Clear', 'Clear', 'Clear']);
    const semantics = [both, { sessions: [a.id, BASE_SIDE] as const, clashes: [{ ...clash, changer: BASE_SIDE }] }];
    expect(overlaps(semantics, behind)).toEqual(['Clash (semantic)', 'Clear', 'Clear']);
    const [view] = viewSessions([a, b, c], RULES, { semantics, behind });
    expect(view?.semantics).toMatchObject([{ with: { id: BASE_SIDE, title: 'main' }, clashes: [{ name: 'greet' }] }]);
  });

  test('a conflict that git sees comes first, and needs no other comparison', () => {
    const conflict = { sessions: [a.id, b.id] as const, files: ['x.ts'], hunks: [] };
    const seen = viewSessions([a, b], RULES, { conflicts: [conflict] }).map(({ overlap }) => overlap);
    expect(seen).toEqual(['Clash', 'Clash']);
  });
});
