import { z } from 'zod';
import { insideRoot, pathArgument } from './arguments.ts';
import { type Tool, type ToolContext, ToolFailure } from './tool.ts';

interface Counts {
  readonly languages: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly states: Readonly<Record<string, number>>;
  readonly files: number;
}

function count({ worktree }: ToolContext, paths: readonly string[]): Counts {
  const kinds = worktree.reader().languages();
  const languages: Record<string, number> = {};
  const skipped: Record<string, number> = {};
  const states: Record<string, number> = {};
  for (const path of paths) {
    const entry = worktree.files.get(path);
    const kind = entry?.blob === null || entry === undefined ? undefined : kinds.get(entry.blob);
    if (kind === undefined) {
      const reason = entry?.skipped ?? 'unknown';
      skipped[reason] = (skipped[reason] ?? 0) + 1;
      continue;
    }
    languages[kind.language] = (languages[kind.language] ?? 0) + 1;
    states[kind.state] = (states[kind.state] ?? 0) + 1;
  }
  return { languages, skipped, states, files: paths.length };
}

export const indexCode: Tool = {
  name: 'index_code',
  title: 'Index the code',
  description:
    'Updates the index of a folder or file, and counts its files by language and the skipped files by reason. Not needed before a query, because queries update the index. `force` also parses unchanged files again.',
  input: {
    path: pathArgument.optional().describe('Folder or file, relative to the root (default: all).'),
    force: z.boolean().optional().describe('Also parse unchanged files again.'),
  },
  skipsFreshening: true,
  run: async (args, context) => {
    const { worktree } = context;
    const path = insideRoot(worktree.root, (args['path'] as string | undefined) ?? '.');
    const started = performance.now();
    const release = worktree.onProgress(({ done, total }) => context.report(done, total));
    try {
      await worktree.freshen();
      const below = [...worktree.files.paths()]
        .filter((file) => path === '' || file === path || file.startsWith(`${path}/`))
        .sort();
      if (path !== '' && below.length === 0)
        throw new ToolFailure(
          'file_not_found',
          `There is no file at ${path}, or git ignores all files there. Check the path.`,
        );
      if (args['force'] === true) await worktree.reparse(below);
      const counts = count(context, below);
      const milliseconds = Math.round(performance.now() - started);
      const sorted = Object.entries(counts.languages).sort((a, b) => b[1] - a[1]);
      return {
        data: { path: path === '' ? '.' : path, ...counts, milliseconds },
        text: [
          `${counts.files} files in ${milliseconds} ms`,
          sorted.map(([language, files]) => `${language} ${files}`).join(', '),
          ...Object.entries(counts.skipped).map(([reason, files]) => `skipped ${files}: ${reason}`),
        ].join('\n'),
        paths: [],
      };
    } finally {
      release();
    }
  },
};
