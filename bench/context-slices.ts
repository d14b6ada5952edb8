import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { atMost, type Pair } from './measure.ts';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = 'node_modules/zod/src';
const ARTIFACT = ['src/v4/core/parse.ts', 'src/v4/core/schemas.ts'];

/** What three usual steps of a workflow ask for before they begin. */
const SLICES = {
  Plan: [
    { tool: 'get_repo_map', args: { token_budget: 1_500 } },
    { tool: 'code_search', args: { query: 'parse error message', max_results: 10 } },
  ],
  Implement: [
    { tool: 'get_file_outline', args: { file_path: '${artifact}' } },
    { tool: 'get_symbol_references', args: { name: 'safeParse', max_results: 20 } },
    { tool: 'get_symbol_source', args: { name: 'safeParse', file_path: ARTIFACT[0] } },
  ],
  Review: [
    { tool: 'get_dependencies', args: { file_path: ARTIFACT[0], direction: 'both' } },
    { tool: 'find_symbol', args: { query: 'ZodError', max_results: 10 } },
  ],
} as const;

interface Assembled {
  readonly slice: { readonly tokens: number; readonly tokens_saved: number; readonly failed: readonly unknown[] };
}

const blocks = Object.fromEntries(
  Object.keys(SLICES).map((name) => [
    name,
    { worker: 'Worker:Model', context_slice: name, artifact: ARTIFACT, transitions: [] },
  ]),
);

const MANIFEST = {
  version: 1,
  workers: { 'Worker:Model': { kind: 'ai', provider: 'openai', model: 'm' } },
  context_slices: Object.fromEntries(Object.entries(SLICES).map(([name, queries]) => [name, { queries }])),
  nodes: { Main: { entry_block: 'Plan', blocks } },
};

function makeProject(root: string): void {
  for (const name of ['.vision', '.flow']) mkdirSync(path.join(root, name), { recursive: true });
  cpSync(path.join(REPOSITORY, SOURCES), path.join(root, 'src'), { recursive: true });
  writeFileSync(path.join(root, '.vision/workflows.json'), JSON.stringify(MANIFEST));
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@example.com', ...args], { cwd: root });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message=start');
}

function assemble(root: string, name: string): Assembled {
  const args = ARTIFACT.flatMap((file) => ['--artifact', file]);
  const program = path.join(REPOSITORY, 'bin/robosmith.js');
  const output = execFileSync(process.execPath, [program, 'context', name, ...args, '--json'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: path.join(root, '..', 'cache') },
  });
  return JSON.parse(output) as Assembled;
}

/** Measures the tokens of context slices against those of the whole files that their answers name, block by block. */
export function contextSlices(): Promise<readonly Pair[]> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-bench-slices-')));
  const root = path.join(folder, 'project');
  try {
    makeProject(root);
    const pairs = Object.keys(SLICES).map((name) => {
      const { slice } = assemble(root, name);
      if (slice.failed.length > 0) throw new Error(`the slice ${name} failed: ${JSON.stringify(slice.failed)}`);
      const whole = slice.tokens + slice.tokens_saved;
      return atMost(
        `context slice of Main__${name}: tokens, against the whole files`,
        0.4,
        slice.tokens,
        whole,
        'tokens',
      );
    });
    return Promise.resolve(pairs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
