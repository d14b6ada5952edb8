import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { coverRows, parseScript, type RowScript } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Graph } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openWorkflow } from '../manifest/open-workflow.ts';
import { shownPath } from '../names/shown-path.ts';
import { printJson } from '../print/json.ts';
import type { CoveredRow, RowCoverage } from '../print/json-documents.ts';
import { printNext } from '../print/problem.ts';
import { harmless, styleFor } from '../print/style.ts';
import { endOf, lookUpText, readTests, rowKey, runTest, testFolder } from '../run/workflow-tests.ts';
import { ioError, systemCode } from '../terminal/usage-error.ts';

export interface CoverageOptions {
  readonly write?: true;
  readonly manifest?: string;
  readonly json?: true;
}

/** Reports which rows the tests of a workflow take; with `--write`, adds tests for the others. */
export async function coverage(options: CoverageOptions, io: CliIo): Promise<number> {
  const open = await openWorkflow(options.manifest, io, undefined, { ignoreRules: true });
  if (open === null) return 2;
  const { manifest, workflow } = open;
  const tests = await readTests([], manifest, workflow, io);
  const taken = new Map<string, string>();
  for (const { shown, script, test } of tests)
    for (const row of (await runTest(workflow, script, test)).rows) if (!taken.has(row)) taken.set(row, shown);
  const rows = coverRows(workflow.graph);
  const written = options.write === true ? await writeTests(rows, taken, workflow, testFolder(manifest), io) : [];
  const document = documentOf(rows, taken, written);
  if (options.json === true) printJson(document, io.stdout);
  else print(document, options, io);
  return document.ok ? 0 : 1;
}

function documentOf(rows: readonly RowScript[], taken: ReadonlyMap<string, string>, written: readonly string[]) {
  const listed = rows.map(({ block, row, script }): CoveredRow => {
    const test = taken.get(rowKey(block, row.row)) ?? null;
    return {
      block,
      row: row.row + 1,
      on_signal: row.signal,
      action: row.text,
      test,
      reachable: test !== null || script !== null,
    };
  });
  const covered = listed.filter(({ test }) => test !== null).length;
  return {
    ok: listed.every(({ test, reachable }) => test !== null || !reachable),
    rows: listed,
    covered,
    written,
  } satisfies RowCoverage;
}

/** Returns input that a workflow accepts, for the inputs that have no default; null if it needs none. */
function inputFor({ inputs }: Graph): JsonObject | null {
  const required = Object.entries(inputs ?? {}).filter(([, { fallback }]) => fallback === null);
  if (required.length === 0) return null;
  const valueOf = (type: string, values: readonly JsonValue[] | null): JsonValue =>
    values?.[0] ?? (type === 'number' ? 1 : type === 'boolean' ? true : 'example');
  return Object.fromEntries(required.map(([name, { type, values }]) => [name, valueOf(type, values)]));
}

/** Writes a test for each row that no test takes. A test is written only if its simulation takes the row. */
async function writeTests(
  rows: readonly RowScript[],
  taken: Map<string, string>,
  workflow: CompiledWorkflow,
  folder: string,
  io: CliIo,
): Promise<readonly string[]> {
  const written: string[] = [];
  const input = inputFor(workflow.graph);
  for (const { block, row, script } of rows) {
    const key = rowKey(block, row.row);
    if (taken.has(key) || script === null) continue;
    const { value } = parseScript({ path: 'script.json', text: JSON.stringify(script) }, workflow.graph);
    const run = value === null ? null : await runTest(workflow, value, { start: workflow.graph.entry, input });
    if (run?.rows.has(key) !== true) continue;
    const start = workflow.graph.entry === null ? { start: block } : {};
    const test: JsonObject = {
      ...start,
      ...(input === null ? {} : { input }),
      path: run.response.path.map(lookUpText),
      end: endOf(run.response),
    };
    const shown = await writeNew(folder, `${block}-${row.row + 1}`, { '@test': test, ...script }, io);
    written.push(shown);
    for (const one of run.rows) if (!taken.has(one)) taken.set(one, shown);
  }
  return written;
}

/** Writes a file under a name that no file has yet. */
async function writeNew(folder: string, name: string, content: JsonObject, io: CliIo): Promise<string> {
  for (let count = 1; ; count += 1) {
    const file = path.join(folder, `${name}${count === 1 ? '' : `-${count}`}.json`);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx' });
      return shownPath(file, io);
    } catch (error) {
      if (systemCode(error) === 'EEXIST') continue;
      throw ioError(`${shownPath(file, io)} cannot be written (${systemCode(error)}).`, [], error);
    }
  }
}

function print({ rows, covered, written }: RowCoverage, { write }: CoverageOptions, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stdout, io);
  for (const file of written) io.stdout.write(`${paint.green(symbols.ok)} Wrote ${harmless(file)}\n`);
  const missing = rows.filter(({ test }) => test === null);
  for (const { block, row, on_signal: signal, action, reachable } of missing) {
    const why = reachable ? '' : paint.dim('  no run was found that takes it');
    io.stdout.write(
      `${paint.yellow(symbols.warn)} ${harmless(block)} row ${row}: ${harmless(signal)} ${symbols.arrow} ${harmless(action)}${why}\n`,
    );
  }
  io.stdout.write(`${covered} of ${rows.length} rows are taken by a test.\n`);
  if (write !== true && missing.some(({ reachable }) => reachable)) printNext(['robosmith coverage --write'], io);
}
