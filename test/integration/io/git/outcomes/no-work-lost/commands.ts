import fc from 'fast-check';

/**
 * The files that commands change. `ignored` is always ignored, `new0` and `new1` only while .gitignore has a rule for
 * them.
 */
const file = fc.constantFrom('a', 'a', 'a', 'b', 'd/c', 'new', 'new0', 'new1', 'ignored', 'ignored', '.gitignore');
const isMain = fc.constant(false);

/** The actions of a person or an agent. */
const edits = fc.record({
  kind: fc.constantFrom('edit', 'edit', 'edit', 'remove', 'stage', 'commit', 'diverge', 'diverge'),
  file,
  inMain: fc.oneof({ weight: 3, arbitrary: isMain }, { weight: 1, arbitrary: fc.constant(true) }),
});

/** Commands of git that take the worktree's HEAD away from its branch, or back, and that make commits unreachable. */
export const MOVES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  detach: [['checkout', '-q', '--detach']],
  switchBack: [['switch', '-q', 'work']],
  takeAlong: [['switch', '-q', '-C', 'work']],
  other: [['switch', '-q', '-C', 'other']],
  rebase: [['rebase', '-q', 'main']],
  giveUp: [
    ['rebase', '--abort'],
    ['bisect', 'reset'],
  ],
  bisect: [
    ['bisect', 'start'],
    ['bisect', 'bad'],
    ['bisect', 'good', ':/^user: one'],
  ],
  reset: [['reset', '-q', '--hard', 'HEAD~1']],
  amend: [['commit', '-q', '--amend', '--allow-empty', '-m', 'user: amended']],
};

const moves = fc.record({ move: fc.constantFrom(...Object.keys(MOVES)) });

/** The operations of the engine. It is killed before or after its n-th git command, or not at all. */
const operations = fc.record({
  kind: fc.constantFrom(
    'snapshot',
    'restore',
    'squash',
    'merge',
    'rebase',
    'update',
    'abort',
    'hold',
    'discard',
    'revive',
    'accept',
    'accept',
    'remove',
  ),
  killAt: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 40 })),
  isAfter: fc.boolean(),
});

export type Command =
  | { readonly move: string }
  | {
      readonly kind: 'edit' | 'remove' | 'stage' | 'commit' | 'diverge';
      readonly file: string;
      readonly inMain: boolean;
    }
  | {
      readonly kind:
        | ('snapshot' | 'restore' | 'squash' | 'merge' | 'rebase' | 'update' | 'abort' | 'hold' | 'discard' | 'revive')
        /** `accept` merges and then removes the worktree; `remove` only removes it. */
        | ('accept' | 'remove');
      readonly killAt: number | null;
      readonly isAfter: boolean;
    };

export const scenario: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof({ weight: 2, arbitrary: edits }, moves, { weight: 2, arbitrary: operations }),
  {
    minLength: 3,
    maxLength: 10,
    size: 'max',
  },
);
