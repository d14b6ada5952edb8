import { grammarNames } from '../parse/languages.ts';
import type { Tool } from './tool.ts';

export const getStatus: Tool = {
  name: 'get_status',
  title: 'State of the index',
  description:
    'Returns whether the index is ready, the number of its files, the state of the file watcher, the size of the cache, and the version.',
  input: {},
  skipsFreshening: true,
  run: (_, { worktree, version, startedAt }) => {
    const status = worktree.status();
    const languages = [...grammarNames, 'markdown', 'vue'].sort();
    const memory = Math.round(process.memoryUsage().rss / 1_048_576);
    return {
      data: {
        version,
        root: worktree.root,
        index_state: status.state,
        files_done: status.progress.done,
        files_total: status.progress.total,
        indexed_files: status.files,
        skipped: status.skipped,
        watcher: {
          state: status.watcher,
          folders: status.watchedFolders,
          ...(status.watcherProblem === null ? {} : { problem: status.watcherProblem }),
        },
        cache: { bytes: status.cacheBytes, results: status.storedResults, database: status.database },
        languages,
        memory_megabytes: memory,
        uptime_seconds: Math.round((Date.now() - startedAt) / 1_000),
        node: process.versions.node,
      },
      text: [
        `roberto-mcp ${version}: ${status.state}, ${status.files} files, ${status.storedResults} stored results`,
        `root ${worktree.root}`,
        `watcher ${status.watcher} (${status.watchedFolders} folders)${status.watcherProblem === null ? '' : `: ${status.watcherProblem}`}`,
        `cache ${(status.cacheBytes / 1_048_576).toFixed(1)} MB, memory ${memory} MB`,
      ].join('\n'),
      paths: [],
    };
  },
};
