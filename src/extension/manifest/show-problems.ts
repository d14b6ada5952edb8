import * as vscode from 'vscode';
import { type Problem, problems } from '#language/index.ts';
import type { OpenManifests } from './open-manifests.ts';
import { toLocation, toRange } from './to-vscode.ts';

/**
 * The maximum delay in milliseconds between an edit and the compilation. The actual delay equals the duration of the
 * last compilation, so that small manifests are checked at once, and large ones only after several keystrokes.
 */
const LONGEST_PAUSE_MS = 30;

const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
} as const;

function toDiagnostic(root: vscode.Uri, problem: Problem): vscode.Diagnostic {
  const { code, severity, message, advice, range, related } = problem;
  const diagnostic = new vscode.Diagnostic(toRange(range), `${message} ${advice}`, SEVERITIES[severity]);
  diagnostic.code = code;
  diagnostic.source = 'RoboSmith';
  diagnostic.relatedInformation = related.map(
    (place) => new vscode.DiagnosticRelatedInformation(toLocation(root, place), place.message),
  );
  return diagnostic;
}

/** Shows the compiler's diagnostics for every open manifest and the files that it imports. */
export function showProblems(manifests: OpenManifests, log: (message: string) => void) {
  const collection = vscode.languages.createDiagnosticCollection('roboSmith');
  let shown: ReadonlySet<string> = new Set();
  let pause = 0;
  let waiting: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isStale = false;

  const show = async (): Promise<void> => {
    const began = performance.now();
    const now = new Map<string, readonly vscode.Diagnostic[]>();
    for (const { project, root } of await manifests.all())
      for (const [file, list] of problems(project))
        now.set(
          vscode.Uri.joinPath(root, file).toString(),
          list.map((problem) => toDiagnostic(root, problem)),
        );
    for (const uri of shown) if (!now.has(uri)) collection.delete(vscode.Uri.parse(uri));
    for (const [uri, list] of now) collection.set(vscode.Uri.parse(uri), list);
    shown = new Set(now.keys());
    pause = Math.min(LONGEST_PAUSE_MS, performance.now() - began);
  };
  /** Runs one update at a time; a change during an update triggers another one after it. */
  const refresh = (): void => {
    waiting = null;
    if (running !== null) {
      isStale = true;
      return;
    }
    running = show()
      .catch((thrown: unknown) => log(`manifest problems: ${String(thrown)}`))
      .finally(() => {
        running = null;
        if (isStale) schedule();
        isStale = false;
      });
  };
  const schedule = (): void => {
    waiting ??= setTimeout(refresh, pause);
  };
  return {
    schedule,
    dispose: () => {
      if (waiting !== null) clearTimeout(waiting);
      collection.dispose();
    },
  };
}
