import path from 'node:path';
import { formatManifest, translateManifest, writeManifest } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest } from '../manifest/open-manifest.ts';
import { shownPath } from '../names/shown-path.ts';
import { projectOf } from '../names/stored-source.ts';
import { printDiagnostics } from '../print/diagnostics.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { styleFor } from '../print/style.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';

export interface FmtOptions {
  readonly check?: true;
  readonly short?: true;
  readonly long?: true;
  readonly manifest?: string;
  readonly json?: true;
}

/** Codes of problems that prevent formatting, because the text can't be parsed. */
const UNREADABLE: ReadonlySet<string> = new Set(['RS1001', 'RS1002', 'RS1003', 'RS1004']);

interface Formatted {
  /** The path, relative to the project. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly isChanged: boolean;
}

type Form = 'short' | 'long';

const formOf = ({ short, long }: FmtOptions): Form | null => {
  if (short === true && long === true)
    throw usageError("--short and --long can't be combined.", ['robosmith fmt --help']);
  if (short === true) return 'short';
  return long === true ? 'long' : null;
};

function report(files: readonly Formatted[], form: Form | null, { check }: FmtOptions, io: CliIo): void {
  const state = form === null ? 'formatted' : `in the ${form} form`;
  const { paint, symbols } = styleFor(io.stderr, io);
  const changed = files.filter(({ isChanged }) => isChanged);
  for (const { file } of changed)
    io.stderr.write(
      check === true
        ? `${paint.red(symbols.bad)} ${shownPath(file, io)} is not ${state}.\n`
        : `${paint.green(symbols.ok)} ${shownPath(file, io)} is ${state}.\n`,
    );
  const count = `${files.length} ${files.length === 1 ? 'file is' : 'files are'} ${state} already.`;
  if (changed.length === 0) io.stderr.write(`${paint.green(symbols.ok)} ${count}\n`);
  else if (check === true) printNext([form === null ? 'robosmith fmt' : `robosmith fmt --${form}`], io);
}

async function write({ file, text }: Formatted, io: CliIo): Promise<void> {
  try {
    await writeManifest(file, text);
  } catch (error) {
    throw ioError(`${shownPath(file, io)} cannot be written (${systemCode(error)}).`, [], error);
  }
}

/**
 * Formats the manifest and its imports, and translates them to a form if one is given. With `--check`, reports which of
 * them would change.
 */
export async function fmt(options: FmtOptions, io: CliIo): Promise<number> {
  const form = formOf(options);
  const manifest = await openManifest(options.manifest, [io.cwd], io);
  const unreadable = manifest.findings.filter(({ code }) => UNREADABLE.has(code));
  if (unreadable.length > 0) {
    if (options.json === true) printJson({ ok: false, diagnostics: unreadable }, io.stdout);
    else printDiagnostics(unreadable, manifest.texts, io);
    return 2;
  }
  const errors = manifest.findings.filter(({ severity }) => severity === 'error');
  if (form !== null && errors.length > 0) {
    if (options.json === true) printJson({ ok: false, diagnostics: errors }, io.stdout);
    else printDiagnostics(errors, manifest.texts, io);
    return 2;
  }
  const project = projectOf(manifest.file);
  const translated = form === null ? manifest.sources : translateManifest(manifest.sources, form, manifest.names);
  const files = translated.map(({ path: name, text }, index): Formatted => {
    const formatted = formatManifest(text);
    const isChanged = formatted !== manifest.sources[index]?.text;
    return { name, file: path.resolve(project, name), text: formatted, isChanged };
  });
  const changed = files.filter(({ isChanged }) => isChanged);
  if (options.check !== true) for (const one of changed) await write(one, io);
  const ok = options.check !== true || changed.length === 0;
  if (options.json === true) printJson({ ok, changed: changed.map(({ name }) => name) }, io.stdout);
  else report(files, form, options, io);
  return ok ? 0 : 1;
}
