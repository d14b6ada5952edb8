import path from 'node:path';
import { type AppliedFile, applyEdits, describeProblem, type LoomProblem } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fileDiff } from '../print/file-diff.ts';
import { printJson } from '../print/json.ts';
import { harmless, styleFor } from '../print/style.ts';
import { readStandardInput, readText } from '../run/read-input.ts';

export interface LoomApplyOptions {
  readonly dryRun?: true;
  readonly json?: true;
}

const diffOf = ({ path: name, before, after }: AppliedFile): string => fileDiff(name, before, after);

/** Only a terminal gets sanitized text: a file or pipe gets the exact bytes, for `git apply`. */
const forScreen = (diff: string, { stdout }: CliIo): string =>
  stdout.isTerminal ? harmless(diff.replaceAll('\r\n', '\n')) : diff;

/** Applies the operations from a file, or from a model's answer in it, to the current directory. */
export async function loomApply(file: string, options: LoomApplyOptions, io: CliIo): Promise<number> {
  const text = await (file === '-' ? readStandardInput() : readText(path.resolve(io.cwd, file), io));
  const dryRun = options.dryRun === true;
  const applied = await applyEdits(text, io.cwd, dryRun);
  if (!applied.ok) return refuse(applied.problems, options, io);
  const changed = applied.files.filter(({ status }) => status !== 'unchanged');
  if (options.json === true)
    printJson(
      {
        ok: true,
        dry_run: dryRun,
        files: applied.files.map(report),
        diff: dryRun ? changed.map(diffOf).join('') : null,
      },
      io.stdout,
    );
  else if (dryRun) io.stdout.write(forScreen(changed.map(diffOf).join(''), io));
  printApplied(applied.files, dryRun, io);
  return 0;
}

const report = ({ path: name, status, edits, alreadyThere }: AppliedFile) => ({
  path: name,
  status,
  edits,
  already_there: alreadyThere,
});

function printApplied(files: readonly AppliedFile[], dryRun: boolean, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  for (const { path: name, status, edits, alreadyThere } of files) {
    const there = alreadyThere === 0 ? '' : `${alreadyThere} already there`;
    const made = edits === 0 ? '' : `${edits} ${dryRun ? 'to be made' : 'made'}`;
    const counts = [made, there].filter((part) => part !== '').join(', ');
    io.stderr.write(`${paint.green(symbols.ok)} ${harmless(name)}: ${status === 'created' ? 'new, ' : ''}${counts}\n`);
  }
}

function refuse(problems: readonly LoomProblem[], { json }: LoomApplyOptions, io: CliIo): number {
  const { paint, symbols } = styleFor(io.stderr, io);
  if (json === true) printJson({ ok: false, errors: problems }, io.stdout);
  for (const problem of problems) io.stderr.write(`${paint.red(symbols.bad)} ${harmless(describeProblem(problem))}\n`);
  io.stderr.write('Nothing was written.\n');
  return 1;
}
