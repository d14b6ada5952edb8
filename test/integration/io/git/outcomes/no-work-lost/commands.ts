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

export const scenario: fc.Arbitrary<readonly Command[]> = fc.array(fc.oneof(edits, operations), {
  minLength: 3,
  maxLength: 8,
  size: 'max',
});
