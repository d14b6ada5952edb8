import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Finding, reconcile, type Survey } from '#machines/session/reconcile.ts';
import { SESSION_STATES } from '#protocol/session.ts';
import type { ListedWorktree, WorktreeFolder } from '#protocol/worktree.ts';
import { aSession } from './a-session.ts';

const entry = (path: string, more: Partial<ListedWorktree> = {}): ListedWorktree => ({
  path,
  isMain: false,
  head: 'a'.repeat(40),
  branch: path.replace('/w/', 'robosmith/'),
  isDetached: false,
  isBare: false,
  locked: 'robosmith s00000001',
  prunable: null,
  isThere: more.prunable === undefined || more.prunable === null,
  ...more,
});
const folder = (path: string, more: Partial<WorktreeFolder> = {}): WorktreeFolder => ({
  path,
  of: 'this',
  isRegistered: true,
  branch: path.replace('/w/', 'robosmith/'),
  isHalfMade: false,
  damagedIndex: null,
  needsRepair: false,
  copiedEntry: null,
  ...more,
});
const MAIN = entry('/repo', { isMain: true, branch: 'main', locked: null });

const found = (survey: Partial<Survey>): readonly Omit<Finding, 'message'>[] =>
  reconcile({
    sessions: [],
    folders: [],
    branches: new Set(['main', 'robosmith/1']),
    ...survey,
    listed: [MAIN, ...(survey.listed ?? [])],
  }).map(({ message, ...finding }) => {
    expect(finding.kind === 'ok' || message.length > 20).toBe(true);
    return finding;
  });
const one = [aSession(1)];
const id = one[0]!.id;

describe('a session and its worktree', () => {
  test.each<[string, Partial<Survey>, readonly object[]]>([
    ['both there', { listed: [entry('/w/1')], folders: [folder('/w/1')] }, [{ kind: 'ok', session: id, path: '/w/1' }]],
    [
      'folder gone, branch there: offered again',
      { listed: [entry('/w/1', { prunable: 'gone' })] },
      [{ kind: 'ghost', session: id, next: 'recreate', isRegistered: true }],
    ],
    [
      'folder and registration gone, branch there',
      {},
      [{ kind: 'ghost', session: id, next: 'recreate', isRegistered: false }],
    ],
    [
      'all gone: healed',
      { branches: new Set(['main']) },
      [{ kind: 'ghost', session: id, next: 'heal', isRegistered: false }],
    ],
    [
      'moved with git',
      {
        listed: [entry('/else/1', { branch: 'robosmith/1' })],
        folders: [folder('/else/1', { branch: 'robosmith/1' })],
      },
      [{ kind: 'moved', session: id, from: '/w/1', to: '/else/1', needsRepair: false }],
    ],
    [
      'moved without git',
      {
        listed: [entry('/w/1', { prunable: 'gone' })],
        folders: [folder('/w/new', { branch: 'robosmith/1', isRegistered: false })],
      },
      [{ kind: 'moved', session: id, from: '/w/1', to: '/w/new', needsRepair: true }],
    ],
    [
      'moved with git, and gone from there: made again',
      { listed: [entry('/else/1', { branch: 'robosmith/1', prunable: 'gone' })] },
      [
        { kind: 'ghost', session: id, next: 'recreate', isRegistered: false },
        { kind: 'prunable', path: '/else/1', branch: 'robosmith/1', reason: 'gone' },
      ],
    ],
    [
      'gone, and its branch is checked out in the main worktree: not followed there',
      { listed: [entry('/main', { isMain: true, branch: 'robosmith/1', locked: null })] },
      [{ kind: 'ghost', session: id, next: 'recreate', isRegistered: false }],
    ],
    [
      'gone, and another repository has a worktree on a branch of that name: not followed there',
      { folders: [folder('/w/new', { of: 'other', branch: 'robosmith/1', isRegistered: false })] },
      [
        { kind: 'ghost', session: id, next: 'recreate', isRegistered: false },
        {
          kind: 'zombie',
          path: '/w/new',
          of: 'other',
          isRegistered: false,
          branch: 'robosmith/1',
          isHalfMade: false,
          session: null,
        },
      ],
    ],
    [
      'its repository was moved away from it',
      { listed: [entry('/w/1')], folders: [folder('/w/1', { needsRepair: true })] },
      [{ kind: 'moved', session: id, from: '/w/1', to: '/w/1', needsRepair: true }],
    ],
    [
      'it belongs to the repository that this one was copied from',
      { listed: [entry('/w/1')], folders: [folder('/w/1', { of: 'other', copiedEntry: '/repo/.git/worktrees/1' })] },
      [{ kind: 'of_a_copy', session: id, path: '/w/1', entry: '/repo/.git/worktrees/1' }],
    ],
    [
      'half made',
      { listed: [entry('/w/1')], folders: [folder('/w/1', { isHalfMade: true })] },
      [{ kind: 'half_made', session: id, path: '/w/1' }],
    ],
    [
      'locked by somebody',
      { listed: [entry('/w/1', { locked: 'mine' })], folders: [folder('/w/1')] },
      [{ kind: 'locked', session: id, path: '/w/1', reason: 'mine' }],
    ],
    [
      'switched by hand',
      { listed: [entry('/w/1', { branch: 'x' })], folders: [folder('/w/1', { branch: 'x' })] },
      [{ kind: 'switched', session: id, path: '/w/1', found: 'x' }],
    ],
    [
      'detached',
      { listed: [entry('/w/1', { branch: null, isDetached: true })], folders: [folder('/w/1', { branch: null })] },
      [{ kind: 'detached', session: id, path: '/w/1', head: 'a'.repeat(40) }],
    ],
    [
      'its branch was deleted',
      { listed: [entry('/w/1', { head: null })], folders: [folder('/w/1')] },
      [{ kind: 'branch_gone', session: id, path: '/w/1' }],
    ],
    [
      'the registration is gone, the folder is left',
      { folders: [folder('/w/1', { of: 'none', isRegistered: false, branch: null })] },
      [{ kind: 'unregistered', session: id, path: '/w/1' }],
    ],
    [
      'another repository took its place',
      { listed: [entry('/w/1')], folders: [folder('/w/1', { of: 'other', isRegistered: false })] },
      [{ kind: 'unregistered', session: id, path: '/w/1' }],
    ],
  ])('%s', (_, survey, expected) => {
    expect(found({ sessions: one, ...survey })).toEqual(expected);
  });

  test.each(['draft', 'queued', 'merged', 'discarded'] as const)('%s: it needs none', (state) => {
    expect(found({ sessions: [aSession(1, { state })] })).toEqual([]);
  });

  test('one that failed and left nothing needs none', () => {
    expect(found({ sessions: [aSession(1, { state: 'failed' })], branches: new Set(['main']) })).toEqual([]);
  });

  test('one that failed, and that git still knows, is left in part', () => {
    const survey = { listed: [entry('/w/1', { prunable: 'gone' })], branches: new Set(['main']) };
    expect(found({ sessions: [aSession(1, { state: 'failed' })], ...survey })).toEqual([
      { kind: 'ghost', session: id, next: 'heal', isRegistered: true },
    ]);
  });
});

describe('folders without a session', () => {
  test('a worktree, a stray folder, one of another repository, one of a session that has ended', () => {
    const survey = {
      sessions: [aSession(4, { state: 'merged' as const })],
      listed: [entry('/w/2'), entry('/w/4')],
      folders: [
        folder('/w/2'),
        folder('/w/3', { of: 'none', isRegistered: false, branch: null }),
        folder('/w/4'),
        folder('/w/5', { of: 'other', isRegistered: false, branch: null }),
      ],
    };
    expect(found(survey)).toMatchObject([
      { kind: 'zombie', path: '/w/2', of: 'this', isRegistered: true, branch: 'robosmith/2', session: null },
      { kind: 'zombie', path: '/w/3', of: 'none', isRegistered: false, session: null },
      { kind: 'zombie', path: '/w/4', of: 'this', session: aSession(4).id },
      { kind: 'zombie', path: '/w/5', of: 'other' },
    ]);
  });

  test('a registration of nobody whose folder is gone; the main worktree is nobody’s zombie', () => {
    expect(
      found({ listed: [entry('/w/9', { prunable: 'gone' })], folders: [folder('/repo', { branch: 'main' })] }),
    ).toEqual([{ kind: 'prunable', path: '/w/9', branch: 'robosmith/9', reason: 'gone' }]);
  });
});

test('each session and each folder is spoken of once at most, and nothing of the main worktree', () => {
  const numbers = fc.integer({ min: 1, max: 4 });
  const branchName = fc.option(fc.constantFrom('robosmith/1', 'robosmith/2', 'robosmith/3', 'x'), { nil: null });
  const surveys = fc.record({
    sessions: fc
      .uniqueArray(fc.tuple(numbers, fc.constantFrom(...SESSION_STATES)), { selector: ([number]) => number })
      .map((all) => all.map(([number, state]) => aSession(number, { state }))),
    listed: fc
      .uniqueArray(
        fc.record({ number: numbers, branch: branchName, prunable: fc.option(fc.constant('gone'), { nil: null }) }),
        {
          selector: ({ number }) => number,
        },
      )
      .map((all) => [MAIN, ...all.map(({ number, ...more }) => entry(`/w/${number}`, more))]),
    folders: fc
      .uniqueArray(
        fc.record({
          number: numbers,
          of: fc.constantFrom('this', 'other', 'none'),
          branch: branchName,
          isRegistered: fc.boolean(),
          isHalfMade: fc.boolean(),
          needsRepair: fc.boolean(),
          copiedEntry: fc.option(fc.constant('/repo/.git/worktrees/1'), { nil: null }),
        }),
        { selector: ({ number }) => number },
      )
      .map((all) => all.map(({ number, ...more }) => folder(`/w/${number}`, more))),
    branches: fc.uniqueArray(fc.constantFrom('main', 'robosmith/1', 'robosmith/2', 'x')).map((all) => new Set(all)),
  });
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`reconcile: seed ${seed}`);
  fc.assert(
    fc.property(surveys, (survey) => {
      const findings = reconcile(survey);
      const sessions = findings.flatMap((one) => ('session' in one && one.kind !== 'zombie' ? [one.session] : []));
      const zombies = findings.flatMap((one) => (one.kind === 'zombie' ? [one.path] : []));
      expect(new Set(sessions).size).toBe(sessions.length);
      expect(new Set(zombies).size).toBe(zombies.length);
      // Every folder must be in a finding: as the folder of a session, as a moved folder, or as a zombie.
      for (const { path } of survey.folders)
        expect(
          findings.some((one) => ('path' in one && one.path === path) || (one.kind === 'moved' && one.to === path)),
        ).toBe(true);
      expect(findings.some((one) => 'path' in one && one.path === '/repo')).toBe(false);
      expect(reconcile(survey)).toEqual(findings);
    }),
    { seed, numRuns: 500 },
  );
});

test('a registration of nobody whose folder is gone and that a session locked; one that somebody locked is away', () => {
  const listed = [entry('/w/8', { isThere: false }), entry('/w/9', { isThere: false, locked: 'on a stick' })];
  expect(found({ listed })).toMatchObject([{ kind: 'prunable', path: '/w/8', reason: 'its folder is missing' }]);
});
