import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { simulate } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { PathEntry, Response } from '#protocol/response.ts';
import type { Start } from '#protocol/run.ts';
import type { Script, ScriptTest } from '#protocol/script.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { OpenManifest } from '../manifest/open-manifest.ts';
import { shownPath } from '../names/shown-path.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';
import { readScript } from './read-script.ts';

/** A test of a workflow: a script with the outcome that its simulation must have. */
export interface WorkflowTest {
  /** The path of its file, as shown in the current folder. */
  readonly shown: string;
  readonly script: Script;
  readonly test: ScriptTest;
}

/** A simulation of a test. */
interface TestRun {
  readonly response: Response;
  /** The rows that were taken: block id and position in its table. */
  readonly rows: ReadonlySet<string>;
}

export const rowKey = (block: string, row: number): string => `${block} ${row}`;

/** Returns the folder with the tests of a manifest: `tests`, beside it. */
export const testFolder = ({ file }: OpenManifest): string => path.join(path.dirname(file), 'tests');

async function testFiles(folder: string, io: CliIo): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => /\.jsonc?$/.test(name))
      .toSorted()
      .map((name) => path.join(folder, name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw ioError(`${shownPath(folder, io)} cannot be read (${systemCode(error)}).`, [], error);
  }
}

/** Reads the named tests, or all tests of the manifest. A faulty file is a usage error. */
export async function readTests(
  named: readonly string[],
  manifest: OpenManifest,
  { graph }: CompiledWorkflow,
  io: CliIo,
): Promise<readonly WorkflowTest[]> {
  const files = named.length > 0 ? named : await testFiles(testFolder(manifest), io);
  const tests: WorkflowTest[] = [];
  for (const file of files) {
    const script = await readScript(file, graph, io);
    const shown = shownPath(path.resolve(io.cwd, file), io);
    if (script.test === undefined)
      throw usageError(`${shown} is no test: it has no "@test" with the "end" that is expected.`, [
        'robosmith test --help',
      ]);
    tests.push({ shown, script, test: script.test });
  }
  return tests;
}

function startOf({ start }: Pick<ScriptTest, 'start'>, { graph }: CompiledWorkflow): Start {
  if (start !== null && start.includes('__')) return { block: start as BlockId };
  const node = (start as NodeId | null) ?? graph.entry;
  if (node === null)
    throw usageError('The manifest has no "entry": a test needs "start".', ['robosmith manifest show']);
  return { node };
}

/** Simulates a script and notes the rows that are taken. */
export async function runTest(
  workflow: CompiledWorkflow,
  script: Script,
  test: Pick<ScriptTest, 'start' | 'input'>,
): Promise<TestRun> {
  const rows = new Set<string>();
  const { input } = test;
  const response = await simulate(workflow, {
    start: startOf(test, workflow),
    script,
    ...(input === null ? {} : { input: typeof input === 'string' ? input : JSON.stringify(input) }),
    onEvent: (event) => {
      if (event.type === 'transition.taken' && event.row !== null) rows.add(rowKey(event.entry.block, event.row));
    },
  });
  return { response, rows };
}

export const endOf = ({ reason }: Response): string => reason ?? 'success';

const bare = (signal: string): string => signal.replace('SIGNAL:', '');

export const lookUpText = ({ block, signal }: { readonly block: string; readonly signal: string | null }): string =>
  signal === null ? block : `${block}:${bare(signal)}`;

/** A position of a path at which a test and its simulation differ. */
interface Difference {
  /** The position, from 1. */
  readonly at: number;
  /** Null if the path is longer than expected. */
  readonly expected: string | null;
  /** Null if the path is shorter than expected. */
  readonly actual: string | null;
}

/** Returns the first difference of a path from the expected one; null if there is none. */
export function firstDifference(expected: ScriptTest['path'], path: readonly PathEntry[]): Difference | null {
  if (expected === null) return null;
  for (let index = 0; index < Math.max(expected.length, path.length); index += 1) {
    const [wanted, taken] = [expected[index], path[index]];
    const isSame = wanted?.block === taken?.block && (wanted?.signal === null || wanted?.signal === taken?.signal);
    if (isSame) continue;
    return {
      at: index + 1,
      expected: wanted === undefined ? null : lookUpText(wanted),
      actual: taken === undefined ? null : lookUpText(taken),
    };
  }
  return null;
}
