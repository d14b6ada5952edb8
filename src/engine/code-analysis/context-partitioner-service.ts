import type { RMcpServerManager } from '#actors/code-analysis/index.ts';
import { fileSizes } from '#io/files/stat-files.ts';
import type { ContextAnswer, ContextQueries, ContextQuery } from '#protocol/code-analysis.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Outbound } from '#protocol/outbound.ts';
import { answerPaths, withoutPaths } from './answer-paths.ts';

interface ContextPartitionerParts {
  readonly servers: Pick<RMcpServerManager, 'call'>;
  /** Returns the rules that decide which files of a worktree may be sent in a prompt. */
  readonly outbound: (worktree: string) => Outbound;
}

/** The arguments of one tool, with the absolute path of the worktree to analyse. */
type Asking<Arguments> = Arguments & { readonly worktreePath: string; readonly signal?: AbortSignal };

/**
 * The maximum number of files of an answer whose size counts as saved tokens. Without code analysis, no prompt would
 * contain more whole files than this.
 */
const MOST_COUNTED = 200;

/** The assumed number of bytes per token, to estimate the tokens of a file without reading it. */
const BYTES_A_TOKEN = 3.6;

/** Tools that answer about a single file. Their whole answer is withheld if that file must not be sent. */
const WHOLE: ReadonlySet<string> = new Set(['get_file_outline', 'get_symbol_source']);

const ignored = (path: string): ContextAnswer => ({
  ok: false,
  code: 'file_ignored',
  message: `${path} must not leave this machine (.vision/ignore, or a secret)`,
});

async function keptBack(outbound: Outbound, paths: readonly string[]): Promise<readonly string[]> {
  const judged = await Promise.all(
    paths.map(async (path) => ({ path, mayLeave: await outbound.mayLeave(path).catch(() => false) })),
  );
  return judged.flatMap(({ path, mayLeave }) => (mayLeave ? [] : [path]));
}

/** Estimates how many tokens the answer saves compared to sending the complete files. */
async function savedBy(worktree: string, paths: readonly string[], tokens: number): Promise<number> {
  const sizes = await fileSizes(worktree, paths.slice(0, MOST_COUNTED));
  return Math.max(0, Math.round(sizes.reduce((sum, size) => sum + size, 0) / BYTES_A_TOKEN) - tokens);
}

/** Returns the files that a query names. A query about a file that must not leave the machine is not sent. */
const namedIn = ({ args }: ContextQuery): readonly string[] =>
  typeof args['file_path'] === 'string' ? [args['file_path']] : [];

/**
 * The entry point for all code analysis. It is stateless: each query is sent as a `tools/call` to the server of its
 * worktree. Files that must not leave the machine are removed from every answer.
 */
export class ContextPartitionerService implements ContextQueries {
  readonly #parts: ContextPartitionerParts;

  constructor(parts: ContextPartitionerParts) {
    this.#parts = parts;
  }

  async ask(worktree: string, query: ContextQuery, signal: AbortSignal): Promise<ContextAnswer> {
    const outbound = this.#parts.outbound(worktree);
    const [named] = await keptBack(outbound, namedIn(query));
    if (named !== undefined) return ignored(named);
    const answer = await this.#parts.servers.call(worktree, query, signal);
    if (!answer.ok) return answer;
    const paths = answerPaths(answer.data);
    const hidden = await keptBack(outbound, paths);
    const [first] = hidden;
    const { file } = answer.data;
    if (first !== undefined && WHOLE.has(query.tool) && hidden.includes(typeof file === 'string' ? file : first))
      return ignored(first);
    const text = hidden.length === 0 ? answer.text : withoutPaths(answer.text, hidden);
    const shown = paths.filter((path) => !hidden.includes(path));
    const tokens = estimateTokens(text);
    return { ok: true, text, tokens, tokensSaved: await savedBy(worktree, shown, tokens) };
  }

  getFileOutline({ filePath, ...where }: Asking<{ readonly filePath: string }>): Promise<ContextAnswer> {
    return this.#call('get_file_outline', where, { file_path: filePath });
  }

  getSymbolReferences({
    name,
    kind,
    path,
    ...where
  }: Asking<{ readonly name: string; readonly kind?: string; readonly path?: string }>): Promise<ContextAnswer> {
    return this.#call('get_symbol_references', where, { name, ...optional({ kind, path }) });
  }

  findSymbol({ query, ...where }: Asking<{ readonly query: string }>): Promise<ContextAnswer> {
    return this.#call('find_symbol', where, { query });
  }

  codeSearch({
    query,
    maxResults,
    path,
    ...where
  }: Asking<{ readonly query: string; readonly maxResults?: number; readonly path?: string }>): Promise<ContextAnswer> {
    return this.#call('code_search', where, { query, ...optional({ max_results: maxResults, path }) });
  }

  getSymbolSource({
    name,
    filePath,
    ...where
  }: Asking<{ readonly name: string; readonly filePath?: string }>): Promise<ContextAnswer> {
    return this.#call('get_symbol_source', where, { name, ...optional({ file_path: filePath }) });
  }

  getDependencies({
    filePath,
    hops,
    ...where
  }: Asking<{ readonly filePath: string; readonly hops?: number }>): Promise<ContextAnswer> {
    return this.#call('get_dependencies', where, { file_path: filePath, ...optional({ hops }) });
  }

  getRepoMap({ tokenBudget, ...where }: Asking<{ readonly tokenBudget: number }>): Promise<ContextAnswer> {
    return this.#call('get_repo_map', where, { token_budget: tokenBudget });
  }

  getStatus(where: Asking<object>): Promise<ContextAnswer> {
    return this.#call('get_status', where, {});
  }

  #call(tool: string, { worktreePath, signal }: Asking<object>, args: JsonObject): Promise<ContextAnswer> {
    return this.ask(worktreePath, { tool, args }, signal ?? new AbortController().signal);
  }
}

const optional = (values: Readonly<Record<string, string | number | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
