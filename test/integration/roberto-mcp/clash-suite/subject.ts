import type { Edit, Tree } from './tree.ts';

/** An additional symbol that the probe code needs besides its subject. */
interface Need {
  readonly name: string;
  readonly file: string;
}

/** A symbol of a project. One branch changes it, and the other branch uses it or only appears to use it. */
export interface Subject {
  readonly kind: 'constant' | 'function' | 'member' | 'method' | 'type';
  readonly name: string;
  readonly file: string;
  /** New names for the symbol. A method is renamed everywhere, so its name must be unique in the project. */
  readonly renames: readonly string[];
  readonly needs: readonly Need[];
  /** Statements before the expression. `@` is replaced by the name that the file uses for the subject. */
  readonly setup: readonly string[];
  readonly expression: string;
  /** The value of the expression in the merge base, as source text. */
  readonly value: string;
  /** Changes of this subject. Each is complete: it also adapts the uses in the merge base. */
  readonly changes: Readonly<Record<string, readonly Edit[]>>;
  /** The names of general changes that can't be applied to this subject. */
  readonly without: readonly string[];
}

type Given = Pick<Subject, 'expression' | 'file' | 'kind' | 'name' | 'renames' | 'value'> &
  Partial<Pick<Subject, 'changes' | 'needs' | 'setup' | 'without'>>;

export const subject = (given: Given): Subject => ({ needs: [], setup: [], changes: {}, without: [], ...given });

/** The random choices for one scenario. */
export interface Choices {
  readonly choose: <T>(from: readonly T[]) => T;
  /** A word that is inserted into the names of added symbols to make them unique. */
  readonly word: string;
}

/**
 * Creates the files of one branch from those of the merge base. Returns null if the template can't be applied to the
 * subject.
 */
export type Template = (tree: Tree, subject: Subject, choices: Choices) => Tree | null;

/** Two changes that belong together, one for each branch, such as adding the same function twice. */
interface Pair {
  readonly change: string;
  readonly use: string;
  readonly ours: (tree: Tree, choices: Choices) => Tree;
  readonly theirs: (tree: Tree, choices: Choices) => Tree;
}

/** The templates of one language: how code changes, and how it is used. */
export interface Dialect {
  readonly language: LanguageOfSuite;
  readonly subjects: readonly Subject[];
  readonly changes: Readonly<Record<string, Template>>;
  /** Uses of the subject. */
  readonly uses: Readonly<Record<string, Template>>;
  /** Templates of code that only appears to use the subject. */
  readonly seeming: Readonly<Record<string, Template>>;
  readonly pairs: readonly Pair[];
}

export const LANGUAGES_OF_SUITE = ['typescript', 'python', 'go', 'rust'] as const;
export type LanguageOfSuite = (typeof LANGUAGES_OF_SUITE)[number];

/** Replaces `@` in a text by the name that a file uses for the subject. */
export const known = (text: string, name: string): string => text.replaceAll('@', () => name);

export const baseNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/u, '');

/** Returns true for members, which are accessed through a value instead of being imported by name. */
export const isMember = ({ kind }: Subject): boolean => kind === 'member' || kind === 'method';
