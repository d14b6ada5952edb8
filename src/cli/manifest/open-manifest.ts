import path from 'node:path';
import { findManifest, loadManifest, type LoadedManifest, type LoadOptions } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { SourceTexts } from '../print/diagnostics.ts';
import { ioError } from '../terminal/usage-error.ts';
import { manifestFile } from './manifest-file.ts';
import { shownPath } from '../names/shown-path.ts';
import { projectOf } from '../names/stored-source.ts';

export interface OpenManifest extends LoadedManifest {
  /** The absolute path of the manifest. */
  readonly file: string;
  /** The path as displayed for the current folder. */
  readonly shown: string;
  /**
   * True if the default search from the current folder would find another manifest or none, so that suggested commands
   * must contain `--manifest`.
   */
  readonly isElsewhere: boolean;
  /** Findings in the manifest and in the answers of its scripted workers. */
  readonly findings: readonly Diagnostic[];
  readonly texts: SourceTexts;
}

/**
 * Reads and compiles a manifest. Commands are detected from the files of the project `root`, by default the project of
 * the manifest.
 */
export async function openManifest(
  option: string | undefined,
  folders: readonly string[],
  io: CliIo,
  root?: string,
  load: LoadOptions = {},
): Promise<OpenManifest> {
  const file = await manifestFile(option, folders, io);
  const loaded = await loadManifest(file, root === undefined ? load : { ...load, root });
  if (loaded === null) throw ioError(`${shownPath(file, io)} cannot be read.`, []);
  return {
    ...loaded,
    file,
    shown: shownPath(file, io),
    isElsewhere: option !== undefined || (await findManifest(io.cwd)) !== file,
    findings: [...loaded.compilation.diagnostics, ...loaded.scriptDiagnostics],
    texts: sourceTexts(loaded, projectOf(file), io),
  };
}

function sourceTexts({ sources }: LoadedManifest, project: string, io: CliIo): SourceTexts {
  const texts = new Map(sources.map(({ path: name, text }) => [name, text] as const));
  return { text: (name) => texts.get(name) ?? null, shown: (name) => shownPath(path.resolve(project, name), io) };
}

/** Returns the workflow, or null if the manifest has errors. */
export const runnable = ({ compilation, findings }: OpenManifest): CompiledWorkflow | null =>
  findings.some(({ severity }) => severity === 'error') ? null : compilation.workflow;
