import path from 'node:path';
import { serveCodeAnalysis } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** `mcp`: serves code analysis of a folder on stdin and stdout. */
export const mcp = (folder: string | undefined, { cwd, env }: CliIo): Promise<number> =>
  serveCodeAnalysis(path.resolve(cwd, folder ?? '.'), env);
