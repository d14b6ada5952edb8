import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type RanSlice, runSlice } from '#engine/index.ts';
import type { ContextSlice } from '#protocol/context-slice.ts';
import { openWorkflow } from '../manifest/open-workflow.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { projectRoot } from '../project/in-project.ts';
import { printJson } from '../print/json.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface ContextOptions {
  readonly in?: string;
  readonly artifact?: readonly string[];
  readonly export?: readonly string[];
  readonly taskTitle?: string;
  readonly manifest?: string;
  readonly json?: true;
}

/** Reads `key=value`. */
function exportOf(written: string): readonly [string, string] {
  const at = written.indexOf('=');
  if (at < 1) throw usageError(`--export takes <key>=<value>, not "${written}".`, ['robosmith context --help']);
  return [written.slice(0, at), written.slice(at + 1)];
}

async function folderOf(given: string | undefined, { cwd }: CliIo): Promise<string> {
  const folder = path.resolve(cwd, given ?? '.');
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return folder;
  throw usageError(`${folder} is not a folder.`, ['robosmith context --help']);
}

function printSlice(slice: ContextSlice, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  if (slice.text !== '') io.stdout.write(`${harmless(slice.text)}\n`);
  for (const { query, code, message } of slice.failed)
    io.stderr.write(`${paint.red(symbols.bad)} ${harmless(`${query}: ${code}: ${message}`)}\n`);
  const whole = slice.tokens + slice.tokens_saved;
  const share = whole === 0 ? '' : ` (${Math.round((100 * slice.tokens_saved) / whole)} %)`;
  const saved = `about ${slice.tokens} tokens, ${slice.tokens_saved} saved compared with sending the whole files${share}`;
  io.stderr.write(`${paint.dim(`${slice.name}: ${saved}`)}\n`);
}

const failedOf = (ran: Extract<RanSlice, { kind: 'ran' }>): boolean =>
  ran.slice.failed.length > 0 && (ran.isRequired || ran.slice.queries === 0);

/** Rejects options that apply only when a slice is executed. */
function refuseRunOptions({ artifact, export: exports, taskTitle }: ContextOptions): void {
  const given = Object.entries({ '--artifact': artifact, '--export': exports, '--task-title': taskTitle });
  const [flag] = given.find(([, value]) => value !== undefined && value.length > 0) ?? [];
  if (flag === undefined) return;
  throw usageError(`${flag} needs the name of a slice.`, ['robosmith context', 'robosmith context --help']);
}

function listSlices(names: readonly string[], isJson: boolean, io: CliIo): number {
  if (isJson) printJson({ ok: true, slices: names }, io.stdout);
  else if (names.length === 0) io.stdout.write('The manifest has no context slices.\n');
  else for (const name of names) io.stdout.write(`${name}\n`);
  return 0;
}

/** `context`: lists the slices of the manifest, or runs one and prints what a block would see of the result. */
export async function context(name: string | undefined, options: ContextOptions, io: CliIo): Promise<number> {
  const worktree = await folderOf(options.in, io);
  const open = await openWorkflow(options.manifest, io);
  if (open === null) return 2;
  const { graph } = open.workflow;
  const isJson = options.json === true;
  const names = Object.keys(graph.contextSlices);
  if (name === undefined) {
    refuseRunOptions(options);
    return listSlices(names, isJson, io);
  }
  const project = await projectRoot(worktree, io);
  if ('reason' in project) throw usageError(project.message, ['robosmith init']);
  const run = {
    root: project.root,
    worktree,
    name,
    artifact: options.artifact ?? [],
    environment: io.env,
    exports: Object.fromEntries((options.export ?? []).map(exportOf)),
    taskTitle: options.taskTitle ?? null,
  };
  const ran = await runSlice(graph, run, new AbortController().signal);
  if (ran.kind === 'unknown') {
    const hint = didYouMean(name, ran.known);
    throw usageError(`The manifest has no context slice "${name}".${hint}`, ['robosmith context']);
  }
  const ok = !failedOf(ran);
  if (isJson) printJson({ ok, slice: ran.slice }, io.stdout);
  else printSlice(ran.slice, io);
  return ok ? 0 : 1;
}
