import type { CliIo } from '../terminal/cli-io.ts';
import { openWorkflow } from '../manifest/open-workflow.ts';
import { printJson } from '../print/json.ts';
import type { TestedWorkflow, WorkflowTestResult } from '../print/json-documents.ts';
import { printNext } from '../print/problem.ts';
import { harmless, styleFor } from '../print/style.ts';
import {
  endOf,
  firstDifference,
  lookUpText,
  readTests,
  runTest,
  testFolder,
  type WorkflowTest,
} from '../run/workflow-tests.ts';
import { shownPath } from '../names/shown-path.ts';

export interface TestOptions {
  readonly manifest?: string;
  readonly json?: true;
}

/** Simulates the tests of a workflow, and compares the path and the end of each with what its file expects. */
export async function test(files: readonly string[], options: TestOptions, io: CliIo): Promise<number> {
  const open = await openWorkflow(options.manifest, io, undefined, { ignoreRules: true });
  if (open === null) return 2;
  const tests = await readTests(files, open.manifest, open.workflow, io);
  const results: WorkflowTestResult[] = [];
  for (const one of tests) {
    const { response } = await runTest(open.workflow, one.script, one.test);
    results.push(resultOf(one, response));
    if (options.json !== true) print(results.at(-1), io);
  }
  const document: TestedWorkflow = { ok: results.every(({ ok }) => ok), tests: results };
  if (options.json === true) printJson(document, io.stdout);
  else printSum(document, shownPath(testFolder(open.manifest), io), io);
  return document.ok ? 0 : 1;
}

function resultOf({ shown, test: expected }: WorkflowTest, response: Parameters<typeof endOf>[0]): WorkflowTestResult {
  const difference = firstDifference(expected.path, response.path);
  const end = { expected: expected.end, actual: endOf(response) };
  return {
    file: shown,
    ok: difference === null && end.expected === end.actual,
    end,
    difference,
    path: response.path.map(lookUpText),
  };
}

/** The lookups before a difference that are shown. */
const CONTEXT = 2;

function print(result: WorkflowTestResult | undefined, io: CliIo): void {
  if (result === undefined) return;
  const { paint, symbols } = styleFor(io.stdout, io);
  const { file, ok, end, difference, path } = result;
  io.stdout.write(`${ok ? paint.green(symbols.ok) : paint.red(symbols.bad)} ${harmless(file)}\n`);
  if (difference !== null) {
    const { at, expected, actual } = difference;
    const from = Math.max(0, at - 1 - CONTEXT);
    for (const [index, step] of path.slice(from, at - 1).entries())
      io.stdout.write(paint.dim(`    ${from + index + 1}. ${harmless(step)}\n`));
    io.stdout.write(`  ${paint.red(`- ${at}. ${harmless(expected ?? 'the path ends')}`)}  expected\n`);
    io.stdout.write(`  ${paint.green(`+ ${at}. ${harmless(actual ?? 'the path ends')}`)}\n`);
  }
  if (end.expected !== end.actual)
    io.stdout.write(`    end: ${paint.red(harmless(end.expected))} expected, ${paint.green(end.actual)}\n`);
}

function printSum({ ok, tests }: TestedWorkflow, folder: string, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  if (tests.length === 0) {
    io.stderr.write(`${paint.yellow(symbols.warn)} There are no tests in ${folder}.\n`);
    printNext(['robosmith coverage --write'], io);
    return;
  }
  const failed = tests.filter((one) => !one.ok).length;
  const count = `${tests.length} ${tests.length === 1 ? 'test' : 'tests'}`;
  io.stderr.write(
    ok ? `${paint.green(symbols.ok)} ${count} passed.\n` : `${paint.red(symbols.bad)} ${failed} of ${count} failed.\n`,
  );
}
