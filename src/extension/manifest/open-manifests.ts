import * as vscode from 'vscode';
import { createProjects, type ManifestProject } from '#language/index.ts';
import { createManifestFiles, ENTRIES, type ManifestFiles } from './manifest-files.ts';

/** A file of a manifest, with the manifest's project in the editor's current state. */
export interface ManifestPlace {
  readonly project: ManifestProject;
  readonly root: vscode.Uri;
  /** Path of the file, relative to the root. */
  readonly file: string;
}

/** The manifests of the window's folders and open documents. */
export interface OpenManifests {
  /** Returns the manifest place of a document, or null if it belongs to no manifest. */
  place(document: vscode.TextDocument): Promise<ManifestPlace | null>;
  /** Returns every manifest that has been opened so far, one place for each root. */
  all(): Promise<readonly ManifestPlace[]>;
  forget(uri: vscode.Uri): void;
}

interface KnownManifest {
  readonly root: vscode.Uri;
  readonly files: ManifestFiles;
  readonly make: ReturnType<typeof createProjects>;
  made: { readonly texts: string; readonly project: ManifestProject } | null;
}

const isEntry = (uri: vscode.Uri): boolean => ENTRIES.some((entry) => uri.path.endsWith(`/${entry}`));

/** Returns the path of a file relative to a root, or null if it is outside. */
function below(root: vscode.Uri, uri: vscode.Uri): string | null {
  const folder = root.path.endsWith('/') ? root.path : `${root.path}/`;
  return uri.scheme === root.scheme && uri.path.startsWith(folder) ? uri.path.slice(folder.length) : null;
}

/** Returns a key that changes whenever one of a project's texts changes. */
const fingerprint = (parts: readonly string[]): string => parts.map((part) => `${part.length}:${part}`).join('');

export function createOpenManifests(): OpenManifests {
  const known = new Map<string, KnownManifest>();
  const at = (root: vscode.Uri): KnownManifest => {
    const key = root.toString();
    const found = known.get(key) ?? { root, files: createManifestFiles(root), make: createProjects(), made: null };
    known.set(key, found);
    return found;
  };
  const projectOf = async (one: KnownManifest): Promise<ManifestProject | null> => {
    const sources = await one.files.sources();
    if (sources === null) return null;
    const facts = await one.files.facts(sources);
    const { registry = [], registryProblem = '', schemas = [], schemaProblems = [] } = facts;
    const texts = fingerprint([
      ...sources.flatMap(({ path, text }) => [path, text]),
      JSON.stringify([[...registry], registryProblem, [...schemas], [...schemaProblems]]),
    ]);
    if (one.made?.texts !== texts) one.made = { texts, project: one.make(sources, facts) };
    return one.made.project;
  };
  const rootsFor = (uri: vscode.Uri): readonly vscode.Uri[] => {
    if (isEntry(uri)) return [vscode.Uri.joinPath(uri, '..', '..')];
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri);
    const opened = [...known.values()].map(({ root }) => root);
    return [...folders, ...opened].filter((root) => below(root, uri) !== null);
  };
  return {
    place: async ({ uri }) => {
      for (const root of rootsFor(uri)) {
        const file = below(root, uri);
        const project = file === null ? null : await projectOf(at(root));
        if (file === null || project === null) continue;
        if (project.document(file) !== null) return { project, root, file };
      }
      return null;
    },
    all: async () => {
      const places = [];
      for (const one of known.values()) {
        const project = await projectOf(one);
        const entry = project?.documents[0];
        if (project !== null && entry !== undefined) places.push({ project, root: one.root, file: entry.path });
      }
      return places;
    },
    forget: (uri) => {
      for (const { files } of known.values()) files.forget(uri);
    },
  };
}
