import * as vscode from 'vscode';
import { importsOf, parseSchemaFile, type ProjectFacts, schemaPathsOf, templateSource } from '#language/index.ts';
import type { ManifestSource } from '#protocol/compiled.ts';
import type { JsonObject } from '#protocol/json.ts';

/** The paths at which a project may have its manifest. */
export const ENTRIES: readonly string[] = ['.vision/workflows.json', '.vision/workflows.jsonc'];
const REGISTRY = '.flow/flow.registry.json';
const MOST_FILES = 1_000;
const LARGEST = 32 * 1024 * 1024;

/** Reads the manifest files of one project: from the editor where a file is open, else from disk. */
export interface ManifestFiles {
  /** Returns the manifest and all files that it imports, the manifest first; null if there is no manifest. */
  sources(): Promise<readonly ManifestSource[] | null>;
  facts(sources: readonly ManifestSource[]): Promise<ProjectFacts>;
  /** Drops the cached text of a file, so that it is read again. */
  forget(uri: vscode.Uri): void;
}

/** Returns the text of an open document, or null if the file is not open. */
const openText = (uri: vscode.Uri): string | null =>
  vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())?.getText() ?? null;

async function diskText(uri: vscode.Uri): Promise<string | null> {
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if (size > LARGEST || (type & vscode.FileType.File) === 0) return null;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    // The file is missing or unreadable. The compiler reports the import that names it.
    return null;
  }
}

/** Returns the worker names that a worker registry file declares, or null if it can't be read. */
function registryNames(text: string): ReadonlySet<string> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? new Set(Object.keys(value).filter((name) => name !== '$schema'))
      : null;
  } catch {
    return null;
  }
}

/** Returns the project's manifest, or null if it has none. */
async function entryOf(read: (path: string) => Promise<string | null>): Promise<ManifestSource | null> {
  for (const path of ENTRIES) {
    const text = await read(path);
    if (text !== null) return { path, text };
  }
  return null;
}

/** Creates a reader of manifest files below a folder. Texts from disk are cached until `forget` is called. */
export function createManifestFiles(root: vscode.Uri): ManifestFiles {
  const kept = new Map<string, Promise<string | null>>();
  const read = (path: string): Promise<string | null> => {
    const uri = vscode.Uri.joinPath(root, path);
    const open = openText(uri);
    if (open !== null) return Promise.resolve(open);
    const key = uri.toString();
    const known = kept.get(key) ?? diskText(uri);
    kept.set(key, known);
    return known;
  };
  const schemasOf = async (sources: readonly ManifestSource[]) => {
    const schemas = new Map<string, JsonObject>();
    const schemaProblems = new Map<string, string>();
    for (const path of new Set(sources.flatMap(schemaPathsOf))) {
      const text = await read(path);
      const parsed =
        text === null ? { problem: 'there is no such file in the project' } : parseSchemaFile({ path, text });
      if ('schema' in parsed) schemas.set(path, parsed.schema);
      else schemaProblems.set(path, parsed.problem);
    }
    return { schemas, schemaProblems };
  };
  return {
    sources: async () => {
      const entry = await entryOf(read);
      if (entry === null) return null;
      const sources = new Map<string, ManifestSource>([[entry.path, entry]]);
      const queue = [...sources.values()];
      for (let source = queue.shift(); source !== undefined; source = queue.shift())
        for (const path of importsOf(source)) {
          if (sources.has(path) || sources.size >= MOST_FILES) continue;
          const imported = templateSource(path)?.text ?? (await read(path));
          if (imported === null) continue;
          const next = { path, text: imported };
          sources.set(path, next);
          queue.push(next);
        }
      return [...sources.values()];
    },
    facts: async (sources) => {
      const text = await read(REGISTRY);
      const registry = text === null ? new Set<string>() : registryNames(text);
      return {
        mayHaveOtherCommands: true,
        ...(registry === null ? { registryProblem: `${REGISTRY} is not a JSON object` } : { registry }),
        ...(await schemasOf(sources)),
      };
    },
    forget: (uri) => void kept.delete(uri.toString()),
  };
}
