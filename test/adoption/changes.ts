/** An edit operation in the format of answers of a worker in `loom` mode. */
export type Edit = Readonly<Record<string, string | number>>;

/** The edits that the model returns for a block. The block is identified by the beginning of its contract. */
export interface Reply {
  readonly contract: string;
  readonly edits: readonly Edit[];
}

/** The scripted answers of the model for one template in one project. */
export interface Job {
  readonly inputs: readonly string[];
  readonly replies: readonly Reply[];
}

/** A published package that contains its own tests. */
export interface Project {
  readonly name: string;
  readonly version: string;
  /** The files that the models are shown. */
  readonly files: readonly string[];
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Returns an edit that replaces the text between two markers, each of which must occur once in the file. */
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

/** How the contracts of the blocks that change files begin. */
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

/** A job without edits: in a review the model only gives an opinion. */
export const READ_ONLY: Job = { inputs: [], replies: [] };
