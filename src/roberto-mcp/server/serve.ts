import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Worktree } from '../index/worktree.ts';
import { ALL_TOOLS } from '../tools/all-tools.ts';
import { createAnswerCache } from '../tools/answer-cache.ts';
import { createGraphCache, type GraphCache } from '../tools/file-graph.ts';
import { runTool } from '../tools/run-tool.ts';
import { type Tool, type ToolContext, ToolFailure } from '../tools/tool.ts';
import type { ToolAnswer } from '../tools/bound-answer.ts';

const INSTRUCTIONS =
  'Analyses the code of one worktree. Start with get_repo_map or find_symbol; get_file_outline and get_symbol_source cost a fraction of reading whole files. Answers always reflect the current files on disk. References are found by name, not by type.';

interface CallExtra {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  readonly sendNotification: (notification: {
    readonly method: 'notifications/progress';
    readonly params: { readonly progressToken: string | number; readonly progress: number; readonly total: number };
  }) => Promise<void>;
}

/**
 * Returns a function that sends progress notifications. MCP requires increasing values: if the job starts again,
 * nothing is sent until the progress exceeds the last value sent.
 */
function reporter({ _meta: meta, sendNotification }: CallExtra): (done: number, total: number) => void {
  const token = meta?.progressToken;
  if (token === undefined) return () => undefined;
  let last = -1;
  return (done, total) => {
    if (done <= last) return;
    last = done;
    sendNotification({
      method: 'notifications/progress',
      params: { progressToken: token, progress: done, total },
    }).catch(() => undefined);
  };
}

const failureOf = (error: unknown): ToolFailure =>
  error instanceof ToolFailure
    ? error
    : new ToolFailure('internal', error instanceof Error ? error.message : String(error));

interface ServeInput {
  readonly worktree: Worktree;
  readonly version: string;
}

function register(server: McpServer, tool: Tool, shared: Omit<ToolContext, 'report' | 'signal'>): void {
  const { name, title, description, input } = tool;
  const annotations = { readOnlyHint: true, openWorldHint: false };
  server.registerTool(
    name,
    { title, description, inputSchema: input, annotations },
    async (args: Record<string, unknown>, extra: CallExtra) => {
      try {
        const { data, text } = await runTool(tool, args, { ...shared, signal: extra.signal, report: reporter(extra) });
        const { state, progress } = shared.worktree.status();
        const building =
          state === 'ready' ? {} : { index_state: state, files_done: progress.done, files_total: progress.total };
        return { content: [{ type: 'text' as const, text }], structuredContent: { ...data, ...building } };
      } catch (error) {
        const { code, message } = failureOf(error);
        if (code === 'internal')
          process.stderr.write(`${name}: ${error instanceof Error ? (error.stack ?? message) : message}\n`);
        return {
          isError: true,
          content: [{ type: 'text' as const, text: `${code}: ${message}` }],
          structuredContent: { error: { code, message } },
        };
      }
    },
  );
}

function createServer({ worktree, version }: ServeInput): McpServer {
  const server = new McpServer(
    { name: 'roberto-mcp', title: 'RoboSmith code analysis', version },
    { instructions: INSTRUCTIONS },
  );
  const graph: GraphCache = createGraphCache(worktree);
  const answers = createAnswerCache<ToolAnswer>();
  const startedAt = Date.now();
  for (const tool of ALL_TOOLS) register(server, tool, { worktree, graph, answers, version, startedAt });
  return server;
}

/** Serves one MCP client over stdin and stdout until either side ends the connection. */
export async function serve(input: ServeInput): Promise<void> {
  const server = createServer(input);
  const transport = new StdioServerTransport();
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    input.worktree.close();
    process.exit(0);
  };
  server.server.onclose = end;
  process.stdin.on('end', end).on('close', end);
  process.stdout.on('error', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  await server.connect(transport);
  input.worktree
    .freshen()
    .catch((error: unknown) => process.stderr.write(`The index could not be built: ${String(error)}\n`));
}
