import { Buffer } from 'node:buffer';
import path from 'node:path';
import { readIfThere, statIfThere } from '#io/files/durable-file.ts';
import { foldName } from '#io/files/ignores-case.ts';
import { checkRelativePath } from '#io/files/path-rules.ts';
import { checkTree } from '#logic/plan/check-tree.ts';
import { composeTree } from '#logic/plan/compose-tree.ts';
import { type ParsedStatus, parseStatus } from '#logic/plan/parse-status.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Task, TaskCode, TaskProblem, TaskTree } from '#protocol/task-tree.ts';
import { hashOf, LARGEST, ROOT_FILE, type TaskPlace } from './task-place.ts';

const MOST_FILES = 2_000;
/** The maximum number of problems reported for one file. */
const MOST_PROBLEMS = 1_000;
/** The maximum length of a file name, which leaves space to append a number and a hash. */
const LONGEST_NAME = 200;

/** A file as it is on disk. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

export interface ReadTree {
  readonly tree: TaskTree;
  readonly problems: readonly TaskProblem[];
  /** Existing files by path. */
  readonly files: ReadonlyMap<string, ReadFile>;
  /** Lines that would be lost on saving. */
  readonly dropped: readonly { readonly file: string; readonly line: number }[];
}

/** Returns why a reference to another file is not allowed, or null if it is. */
function refuseReference(input: string): string | null {
  if (!/\.md$/.test(input)) return 'it does not end with .md';
  if (/[`<>]/.test(input)) return 'it contains a character that some systems do not allow in file names';
  try {
    const parts = checkRelativePath(input);
    if (parts.join('/') !== input) return 'it contains a "." or an empty part';
    if (parts[0] !== undefined && foldName(parts[0]) === foldName('backups'))
      return 'the folder "backups" is reserved for the engine';
    return Buffer.byteLength(parts.at(-1) ?? '') > LONGEST_NAME
      ? `its name is longer than ${LONGEST_NAME} bytes`
      : null;
  } catch (thrown) {
    if (RoboSmithError.is(thrown, 'unsafe_path'))
      return typeof thrown.data['why'] === 'string' ? thrown.data['why'] : thrown.message;
    throw thrown;
  }
}

const EMPTY: ParsedStatus = { path: ROOT_FILE, head: [], tasks: [], problems: [], dropped: [] };

const whole = (code: TaskCode, file: string, message: string): TaskProblem => ({ code, message, file, line: null });

type Parsed = { readonly parsed: ParsedStatus; readonly file: ReadFile } | { readonly problem: TaskProblem };

function decode(file: string, bytes: Uint8Array): string | TaskProblem {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return whole('tasks_not_text', file, 'it is not UTF-8 text: save it as UTF-8');
  }
}

const parsedFrom = (file: string, bytes: Uint8Array): Parsed => {
  const text = decode(file, bytes);
  if (typeof text !== 'string') return { problem: text };
  return { parsed: parseStatus(file, text, refuseReference), file: { bytes, hash: hashOf(bytes) } };
};

const tooLarge = (file: string): Parsed => ({
  problem: whole(
    'tasks_too_large',
    file,
    `it has more than ${LARGEST} bytes: move subtasks to other files and refer to them`,
  ),
});

/** Reads and parses one file of the plan; null if it does not exist. */
async function readOne({ calls, locate }: TaskPlace, file: string): Promise<Parsed | null> {
  const at = await locate(file);
  const stat = statIfThere(calls, at);
  if (stat === null) return null;
  if (stat.isFolder) return { problem: whole('tasks_bad_reference', file, 'it is a folder, but must be a file') };
  if (stat.size > LARGEST) return tooLarge(file);
  const bytes = readIfThere(calls, at);
  return bytes === null ? null : parsedFrom(file, bytes);
}

/** Returns the first problems; the last one says how many more there are. */
function atMost(problems: readonly TaskProblem[]): readonly TaskProblem[] {
  const first = problems[MOST_PROBLEMS];
  if (first === undefined) return problems;
  const more = problems.length - MOST_PROBLEMS;
  const message = `${first.message}; this is the first of ${more} more problems in this file: fix those above first`;
  return [...problems.slice(0, MOST_PROBLEMS), { ...first, message }];
}

function byFile(problems: readonly TaskProblem[]): ReadonlyMap<string, readonly TaskProblem[]> {
  const files = new Map<string, TaskProblem[]>();
  for (const problem of problems) {
    const others = files.get(problem.file);
    if (others === undefined) files.set(problem.file, [problem]);
    else others.push(problem);
  }
  return files;
}

const referencesIn = (tasks: readonly Task[]): readonly Task[] =>
  tasks.flatMap((task) => (task.reference === null ? referencesIn(task.children) : [task]));

const NOTHING: ReadonlyMap<string, Uint8Array> = new Map();

/**
 * Reads the root file and all files that it references. Files in `saved` are treated as if they had that content.
 * Throws the system's error if a file can't be read.
 */
export async function readTree(place: TaskPlace, saved = NOTHING): Promise<ReadTree> {
  const readFrom = async (file: string): Promise<Parsed | null> => {
    const bytes = saved.get(file);
    if (bytes === undefined) return readOne(place, file);
    return bytes.length > LARGEST ? tooLarge(file) : parsedFrom(file, bytes);
  };
  const problems: TaskProblem[] = [];
  const parsed = new Map<string, ParsedStatus>();
  const files = new Map<string, ReadFile>();
  const read = async (file: string, where: Pick<TaskProblem, 'file' | 'line'>): Promise<void> => {
    if (parsed.has(file)) return;
    if (files.size >= MOST_FILES) {
      problems.push({
        ...where,
        code: 'tasks_too_large',
        message: `the plan has more than ${MOST_FILES} files: move tasks to fewer files`,
      });
      return;
    }
    try {
      const found = await readFrom(file);
      if (found === null) return;
      if ('problem' in found) return void problems.push(found.problem);
      parsed.set(file, found.parsed);
      files.set(file, found.file);
      for (const problem of atMost(found.parsed.problems)) problems.push(problem);
      for (const { reference, line } of referencesIn(found.parsed.tasks))
        if (reference !== null) await read(reference, { file, line });
    } catch (thrown) {
      if (!RoboSmithError.is(thrown, 'unsafe_path')) throw thrown;
      problems.push({ ...where, code: 'tasks_bad_reference', message: `${thrown.message}: remove the link` });
    }
  };
  await read(ROOT_FILE, { file: ROOT_FILE, line: null });
  const nameOf = (file: string): string => foldName(path.posix.normalize(file));
  const composed = composeTree(parsed.get(ROOT_FILE) ?? EMPTY, parsed, nameOf);
  const wrong = problems.length + composed.problems.length > 0 ? composed.problems : checkTree(composed.tree);
  for (const ofFile of byFile(wrong).values()) for (const problem of atMost(ofFile)) problems.push(problem);
  const dropped = [...parsed].flatMap(([file, one]) => one.dropped.map((line) => ({ file, line })));
  return { tree: composed.tree, problems, files, dropped };
}
