import path from 'node:path';
import { dependencyNeeds, detectCommands, findManifest, loadManifest, worktreeSection } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import type { WorktreeSection } from '../starter/manifest.ts';
import { usageError } from '../terminal/usage-error.ts';
import { commandArgv } from './command-argv.ts';

/** What checks the change, and how a worktree is prepared for it. */
export interface FoundSettings {
  readonly check: readonly string[] | null;
  /** Where the check was found, in words. */
  readonly from: string;
  readonly worktree: WorktreeSection | null;
  /** Remarks about a manifest that can't be used. */
  readonly notes: readonly string[];
}

/** Settings of a manifest that concern its own workflows: a node that the built-in workflow lacks, and no sessions. */
const OF_ITS_WORKFLOWS: ReadonlySet<string> = new Set(['resolver', 'isolation']);

interface ManifestSettings {
  readonly file: string;
  readonly test: readonly string[] | null;
  readonly worktree: WorktreeSection | null;
}

/** Returns the settings of the project's manifest; null if it has none, and a remark if it has errors. */
async function ofManifest(root: string, io: CliIo): Promise<ManifestSettings | { readonly note: string } | null> {
  const file = await findManifest(root);
  if (file === null) return null;
  const shown = shownPath(file, io);
  const loaded = await loadManifest(file, { root });
  const graph = loaded?.compilation.workflow?.graph ?? null;
  if (loaded === null || graph === null)
    return { note: `${shown} has errors, so its settings are not used; \`robosmith validate\` lists them.` };
  const { test } = graph.commands;
  const worktree = Object.entries(graph.worktree).filter(([key]) => !OF_ITS_WORKFLOWS.has(key));
  return {
    file: shown,
    // The compiler does not copy detected commands.
    test: test === undefined || test === loaded.detectedCommands['test'] ? null : test,
    worktree: worktree.length === 0 ? null : Object.fromEntries(worktree),
  };
}

/** The files by which a command is recognised, for the programs that newcomers know. */
const SOURCE: Readonly<Record<string, string>> = {
  npm: 'package.json',
  pnpm: 'package.json',
  yarn: 'package.json',
  bun: 'package.json',
  cargo: 'Cargo.toml',
  go: 'go.mod',
  deno: 'deno.json',
  make: 'the Makefile',
  mvn: 'pom.xml',
  gradle: 'build.gradle',
};

const sourceOf = ([program = '']: readonly string[]): string => SOURCE[path.basename(program)] ?? "the project's files";

function typedCheck(text: string, io: CliIo): readonly string[] {
  const argv = commandArgv(text, io.platform);
  if (argv !== null) return argv;
  throw usageError('--check needs a command, such as "npm test".', ['robosmith do --help']);
}

/** Finds the check: the typed one, else `commands.test` of the manifest, else the project's own tests. */
export async function findSettings(typed: string | undefined, root: string, io: CliIo): Promise<FoundSettings> {
  const manifest = await ofManifest(root, io);
  const own = manifest === null || 'note' in manifest ? null : manifest;
  const notes = manifest !== null && 'note' in manifest ? [manifest.note] : [];
  const worktree = own === null ? worktreeSection(await dependencyNeeds(root)) : own.worktree;
  if (typed !== undefined) return { check: typedCheck(typed, io), from: 'from --check', worktree, notes };
  if (own !== null && own.test !== null) return { check: own.test, from: `from ${own.file}`, worktree, notes };
  const { test } = await detectCommands(root);
  return { check: test ?? null, from: test === undefined ? '' : `from ${sourceOf(test)}`, worktree, notes };
}
