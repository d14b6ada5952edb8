import type { Edit, Tree } from './tree.ts';

/** A symbol that a probe needs in addition to its subject. */
export interface Need {
  readonly name: string;
  readonly file: string;
}

/** A symbol of a project that one branch changes and that the other branch uses or only seems to use. */
export interface Subject {
  readonly kind: 'constant' | 'function' | 'member' | 'method' | 'type';
  readonly name: string;
  readonly file: string;
  /** New names. A method's name is renamed everywhere, so it must be unique in the project. */
  readonly renames: readonly string[];
  readonly needs: readonly Need[];
  /** Statements before the expression; `@` stands for the subject as the file knows it. */
  readonly setup: readonly string[];
  readonly expression: string;
  /** The value of the expression in the merge base, as source text. */
  readonly value: string;
  /** Changes of this subject, each complete: they also adapt the uses in the merge base. */
  readonly changes: Readonly<Record<string, readonly Edit[]>>;
  /** Changes that work for most subjects but not for this one. */
  readonly without: readonly string[];
}

type Given = Pick<Subject, 'expression' | 'file' | 'kind' | 'name' | 'renames' | 'value'> &
  Partial<Pick<Subject, 'changes' | 'needs' | 'setup' | 'without'>>;

export const subject = (given: Given): Subject => ({ needs: [], setup: [], changes: {}, without: [], ...given });

/** Random choices of one scenario. */
export interface Choices {
  readonly choose: <T>(from: readonly T[]) => T;
  /** A word that makes names of added symbols unique. */
  readonly word: string;
}

/** Makes the files of one branch from those of the merge base; returns null if the template does not fit the subject. */
export type Template = (tree: Tree, subject: Subject, choices: Choices) => Tree | null;

/** Two changes that are written for each other, such as one function added twice. */
export interface Pair {
  readonly change: string;
  readonly use: string;
  readonly ours: (tree: Tree, choices: Choices) => Tree;
  readonly theirs: (tree: Tree, choices: Choices) => Tree;
}

/** How the code of one language changes, and how it is used. */
export interface Dialect {
  readonly language: LanguageOfSuite;
  readonly subjects: readonly Subject[];
  readonly changes: Readonly<Record<string, Template>>;
  /** Uses of the subject. */
  readonly uses: Readonly<Record<string, Template>>;
  /** Code that only seems to use the subject. */
  readonly seeming: Readonly<Record<string, Template>>;
  readonly pairs: readonly Pair[];
}

export const LANGUAGES_OF_SUITE = ['typescript', 'python', 'go', 'rust'] as const;
export type LanguageOfSuite = (typeof LANGUAGES_OF_SUITE)[number];

/** Puts the name by which a file knows the subject into a text of the subject. */
export const known = (text: string, name: string): string => text.replaceAll('@', () => name);

export const baseNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/u, '');

/** Members are reached through a value, not imported by name. */
export const isMember = ({ kind }: Subject): boolean => kind === 'member' || kind === 'method';
