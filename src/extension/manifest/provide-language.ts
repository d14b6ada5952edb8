import * as vscode from 'vscode';
import {
  complete,
  findDefinition,
  findReferences,
  folding,
  hover,
  lenses,
  outline,
  quickFixes,
  rename,
  type Schema,
  startRename,
  withFacts,
} from '#language/index.ts';
import type { ManifestPlace, OpenManifests } from './open-manifests.ts';
import { showProblems } from './show-problems.ts';
import { toCompletionItem, toLocation, toRange, toSymbol, toWorkspaceEdit } from './to-vscode.ts';

const SELECTOR: vscode.DocumentSelector = [
  { language: 'jsonc', scheme: 'file' },
  { language: 'json', scheme: 'file' },
];

/** Characters after which VS Code requests completions. */
const TRIGGERS = ['"', ':', ',', ' '];

const LENSES = {
  run: [`$(play)\u00a0${vscode.l10n.t('Run')}`, 'roboSmith.runNode'],
  simulate: [`$(beaker)\u00a0${vscode.l10n.t('Simulate')}`, 'roboSmith.simulateNode'],
  show: [`$(type-hierarchy)\u00a0${vscode.l10n.t('Show graph')}`, 'roboSmith.showNode'],
} as const;

interface LanguageParts {
  readonly extensionUri: vscode.Uri;
  readonly manifests: OpenManifests;
  readonly schema: Schema;
}

type At<Result> = (place: ManifestPlace, position: vscode.Position) => Result;

/**
 * Wraps a language feature so that it gets the manifest of the document; it answers null for documents outside
 * manifests.
 */
const answering =
  ({ manifests }: LanguageParts) =>
  <Result>(answer: At<Result>) =>
  async (document: vscode.TextDocument, position: vscode.Position): Promise<Result | null> => {
    const place = await manifests.place(document);
    return place === null ? null : answer(place, position);
  };

/** Adds up to 2,000 file paths to a project's facts, for completions of globs. Generated folders are left out. */
async function withFiles(place: ManifestPlace): Promise<ManifestPlace> {
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(place.root, '**/*'),
    '**/{node_modules,.git,.flow,dist,out}/**',
    2_000,
  );
  const folder = `${place.root.path}/`;
  const files = found.map(({ path }) => path.slice(folder.length)).sort();
  return { ...place, project: withFacts(place.project, { ...place.project.facts, files }) };
}

function provideCompletions(parts: LanguageParts): vscode.Disposable {
  return vscode.languages.registerCompletionItemProvider(
    SELECTOR,
    {
      provideCompletionItems: async (document, position) => {
        const place = await parts.manifests.place(document);
        if (place === null) return null;
        const { project, file } = await withFiles(place);
        return complete(project, file, position, parts.schema).map(toCompletionItem);
      },
    },
    ...TRIGGERS,
  );
}

/** Converts a hover tooltip. Texts from the manifest are escaped, because they may contain Markdown. */
function toHover({ range, title, lines, documentation }: NonNullable<ReturnType<typeof hover>>): vscode.Hover {
  const head = new vscode.MarkdownString().appendMarkdown('**').appendText(title).appendMarkdown('**');
  const texts = lines.map((line) => new vscode.MarkdownString().appendText(line));
  const more = documentation === '' ? [] : [new vscode.MarkdownString(documentation)];
  return new vscode.Hover([head, ...texts, ...more], toRange(range));
}

function provideNavigation(parts: LanguageParts): vscode.Disposable {
  const at = answering(parts);
  const references = (withDeclaration: boolean) =>
    at(({ project, root, file }, position) =>
      findReferences(project, file, position, withDeclaration).map((one) => toLocation(root, one)),
    );
  return vscode.Disposable.from(
    vscode.languages.registerHoverProvider(SELECTOR, {
      provideHover: at(({ project, file }, position) => {
        const found = hover(project, file, position, parts.schema);
        return found === null ? null : toHover(found);
      }),
    }),
    vscode.languages.registerDefinitionProvider(SELECTOR, {
      provideDefinition: at(({ project, root, file }, position) =>
        findDefinition(project, file, position).map((one) => toLocation(root, one)),
      ),
    }),
    vscode.languages.registerReferenceProvider(SELECTOR, {
      provideReferences: (document, position, { includeDeclaration }) =>
        references(includeDeclaration)(document, position),
    }),
    vscode.languages.registerRenameProvider(SELECTOR, {
      prepareRename: at(({ project, file }, position) => {
        const start = startRename(project, file, position);
        if (!start.ok) throw new Error(start.problem);
        return { range: toRange(start.place.range), placeholder: start.name };
      }),
      provideRenameEdits: async (document, position, newName) => {
        const place = await parts.manifests.place(document);
        if (place === null) return null;
        const result = rename(place.project, place.file, position, newName);
        if (!result.ok) throw new Error(result.problem);
        return toWorkspaceEdit(place.root, result.edits);
      },
    }),
  );
}

function provideFixes({ manifests }: LanguageParts): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    SELECTOR,
    {
      provideCodeActions: async (document, range, { diagnostics }) => {
        const place = await manifests.place(document);
        if (place === null) return null;
        return quickFixes(place.project, place.file, range).map(({ title, code, edits, isPreferred }) => {
          const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
          action.edit = toWorkspaceEdit(place.root, edits);
          action.isPreferred = isPreferred;
          action.diagnostics = diagnostics.filter((one) => one.code === code);
          return action;
        });
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}

function provideStructure({ manifests }: LanguageParts): vscode.Disposable {
  const inDocument = async <Result>(
    document: vscode.TextDocument,
    answer: (place: ManifestPlace, found: NonNullable<ReturnType<ManifestPlace['project']['document']>>) => Result,
  ): Promise<Result | null> => {
    const place = await manifests.place(document);
    const found = place?.project.document(place.file) ?? null;
    return place === null || found === null ? null : answer(place, found);
  };
  return vscode.Disposable.from(
    vscode.languages.registerDocumentSymbolProvider(
      SELECTOR,
      { provideDocumentSymbols: (document) => inDocument(document, (_, found) => outline(found).map(toSymbol)) },
      { label: 'RoboSmith' },
    ),
    vscode.languages.registerFoldingRangeProvider(SELECTOR, {
      provideFoldingRanges: (document) =>
        inDocument(document, (_, found) =>
          folding(found).map(
            ({ from, to, isComment }) =>
              new vscode.FoldingRange(from, to, isComment ? vscode.FoldingRangeKind.Comment : undefined),
          ),
        ),
    }),
    vscode.languages.registerCodeLensProvider(SELECTOR, {
      provideCodeLenses: (document) =>
        inDocument(document, ({ project }, found) =>
          lenses(project, found).map(({ action, node, isRenamed, range }) => {
            const [label, command] = LENSES[action];
            const title = isRenamed ? `${label} (${node})` : label;
            return new vscode.CodeLens(toRange(range), { title, command, arguments: [node] });
          }),
        ),
    }),
  );
}

/** Updates the diagnostics when manifest files are edited, opened, closed, or changed on disk. */
function followChanges({ manifests }: LanguageParts, log: (message: string) => void): vscode.Disposable {
  const problems = showProblems(manifests, log);
  const isJson = ({ languageId }: vscode.TextDocument): boolean => languageId === 'json' || languageId === 'jsonc';
  const opened = (document: vscode.TextDocument): void => {
    if (isJson(document)) void manifests.place(document).then(() => problems.schedule());
  };
  const changed = (uri: vscode.Uri): void => {
    manifests.forget(uri);
    problems.schedule();
  };
  const watcher = vscode.workspace.createFileSystemWatcher('**/*.{json,jsonc}');
  vscode.workspace.textDocuments.forEach(opened);
  return vscode.Disposable.from(
    problems,
    watcher,
    watcher.onDidChange(changed),
    watcher.onDidCreate(changed),
    watcher.onDidDelete(changed),
    vscode.workspace.onDidOpenTextDocument(opened),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => changed(uri)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (isJson(document)) problems.schedule();
    }),
  );
}

/** Registers all language features for manifests with VS Code. */
export const provideLanguage = (parts: LanguageParts, log: (message: string) => void): vscode.Disposable =>
  vscode.Disposable.from(
    provideCompletions(parts),
    provideNavigation(parts),
    provideFixes(parts),
    provideStructure(parts),
    followChanges(parts, log),
  );
