/** One edit operation of the format that a worker in `loom` mode answers with. */
export type Edit = Readonly<Record<string, string | number>>;

/** The edits of a block, which is known by the beginning of its contract. */
export interface Reply {
  readonly contract: string;
  readonly edits: readonly Edit[];
}

/** What a project's model does in a run of one template. */
export interface Job {
  readonly inputs: readonly string[];
  readonly replies: readonly Reply[];
}

/** A published package that brings its own tests. */
export interface Project {
  readonly name: string;
  readonly version: string;
  /** The files that the models are shown. */
  readonly files: readonly string[];
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Replaces the text between two texts, each of which occurs once in the file. */
export const between = (path: string, start: string, end: string, content: string): Edit => ({
  op: 'replaceBlock',
  path,
  start,
  end,
  content,
});

export const append = (path: string, content: string): Edit => ({ op: 'append', path, content });

export const line = (path: string, number: number, expected: string, content: string): Edit => ({
  op: 'replaceLine',
  path,
  line: number,
  expected,
  content,
});

/** The beginnings of the contracts of blocks that change files. */
export const BLOCKS = {
  reproduce: 'Find the code that the bug report is about.',
  repair: 'Find the cause of the failing test',
  writeTests: 'Write the tests of the plan',
  implement: 'Implement the plan',
  pinDown: 'Find out which behaviour of the code in question',
  step: 'Make the next small step',
  write: 'Read the code first, then write',
  update: 'Update the packages of the list',
  example: 'Count the places to migrate',
  batch: 'Migrate the next five files',
  build: 'Build the chosen proposal',
} as const;

/** A review changes nothing: the model has an opinion only. */
export const READ_ONLY: Job = { inputs: [], replies: [] };
