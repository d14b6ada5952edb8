import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openWorktree, type Worktree } from '../../../src/roberto-mcp/index/worktree.ts';
import { programFiles } from '../../../src/roberto-mcp/program-files.ts';
import { cachePlace } from '../../../src/roberto-mcp/store/cache-place.ts';
import { ALL_TOOLS } from '../../../src/roberto-mcp/tools/all-tools.ts';
import { createAnswerCache } from '../../../src/roberto-mcp/tools/answer-cache.ts';
import { createGraphCache } from '../../../src/roberto-mcp/tools/file-graph.ts';
import type { ToolAnswer } from '../../../src/roberto-mcp/tools/bound-answer.ts';
import { runTool } from '../../../src/roberto-mcp/tools/run-tool.ts';

const MAIN = join(import.meta.dirname, '../../../src/roberto-mcp/main.ts');

export type Answer = Readonly<Record<string, unknown>>;

/** The analysis tools for one worktree, called directly instead of over MCP. */
export interface Analysis {
  readonly worktree: Worktree;
  readonly ask: (tool: string, args?: Answer, signal?: AbortSignal) => Promise<Answer>;
  readonly close: () => void;
}

export function openAnalysis(root: string, cache: string, watch = true): Analysis {
  const program = programFiles(pathToFileURL(MAIN).href);
  const worktree = openWorktree({ root, place: cachePlace(cache, root), program, watch });
  const graph = createGraphCache(worktree);
  const answers = createAnswerCache<ToolAnswer>();
  return {
    worktree,
    ask: async (name, args = {}, signal = new AbortController().signal) => {
      const tool = ALL_TOOLS.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      const context = { worktree, graph, answers, version: '0', startedAt: 0, signal, report: () => undefined };
      return (await runTool(tool, args, context)).data;
    },
    close: worktree.close,
  };
}

/** A temporary folder with a repository and a cache. */
export interface Scene {
  readonly root: string;
  readonly cache: string;
  readonly folder: string;
  readonly write: (path: string, text: string) => void;
  readonly git: (...args: readonly string[]) => string;
  readonly remove: () => void;
}

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];

export function makeScene(files: Readonly<Record<string, string>> = {}): Scene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'robosmith-roberto-')));
  const root = join(folder, 'project');
  mkdirSync(root);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  git('init', '--quiet', '--initial-branch=main');
  for (const [path, text] of Object.entries(files)) write(path, text);
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message=start');
  return {
    root,
    folder,
    cache: join(folder, 'cache'),
    write,
    git,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
