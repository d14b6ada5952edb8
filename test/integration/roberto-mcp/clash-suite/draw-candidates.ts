import { pick, seededRandom } from '../../../support/seeded-random.ts';
import type { Choices, Dialect, Template } from './subject.ts';
import { applyEdits, type Tree } from './tree.ts';

/** A possible scenario. Its templates may not be applicable to the project. */
export interface Candidate {
  readonly subject: string;
  readonly change: string;
  readonly use: string;
  /** True if the code only appears to use the symbol. */
  readonly seeming: boolean;
  readonly changed: () => Tree | null;
  readonly using: () => Tree | null;
}

const WORDS = [
  'Amber',
  'Birch',
  'Cedar',
  'Delta',
  'Ember',
  'Fjord',
  'Grove',
  'Heath',
  'Inlet',
  'Jetty',
  'Knoll',
  'Larch',
];

function shuffled<T>(list: readonly T[], random: () => number): readonly T[] {
  const rest = [...list];
  return list.map(() => rest.splice(pick(random, rest.length), 1)[0]!);
}

function ofSubjects(
  { subjects, changes, uses, seeming }: Dialect,
  tree: Tree,
  choicesOf: () => Choices,
): readonly Candidate[] {
  const all = [
    ...Object.entries(uses).map(([use, template]) => ({ use, template, seeming: false })),
    ...Object.entries(seeming).map(([use, template]) => ({ use, template, seeming: true })),
  ];
  return subjects.flatMap((one) => {
    const own = Object.entries(one.changes).map(([name, edits]): readonly [string, Template] => [
      name,
      (from) => applyEdits(from, edits),
    ]);
    const general = Object.entries(changes).filter(([name]) => !one.without.includes(name));
    return [...own, ...general].flatMap(([change, changeOf]) =>
      all.map((use): Candidate => {
        const choices = choicesOf();
        return {
          subject: one.name,
          change,
          use: use.use,
          seeming: use.seeming,
          changed: () => changeOf(tree, one, choices),
          using: () => use.template(tree, one, choices),
        };
      }),
    );
  });
}

/** Returns all candidates of a language in an order that depends on the seed. Hand-written pairs come first. */
export function drawCandidates(dialect: Dialect, tree: Tree, seed: number): readonly Candidate[] {
  const random = seededRandom(seed);
  const choicesOf = (): Choices => ({
    choose: (from) => from[pick(random, from.length)]!,
    word: WORDS[pick(random, WORDS.length)]!,
  });
  const written = dialect.pairs.map((pair): Candidate => {
    const choices = choicesOf();
    const { change, use } = pair;
    return {
      subject: '',
      change,
      use,
      seeming: false,
      changed: () => pair.ours(tree, choices),
      using: () => pair.theirs(tree, choices),
    };
  });
  return [...written, ...shuffled(ofSubjects(dialect, tree, choicesOf), random)];
}
