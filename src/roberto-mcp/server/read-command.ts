import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { userCacheFolder } from '../store/cache-place.ts';

type Command =
  | { readonly kind: 'serve'; readonly root: string; readonly cache: string; readonly watch: boolean }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'refuse'; readonly text: string };

const HELP = `Usage: roberto-mcp [folder] [options]

Serves code analysis of one worktree as an MCP server on stdin and stdout.

Arguments:
  folder           root of the worktree (default: the current folder)

Options:
  --cache <folder> folder of the index (default: a folder in the user's cache folder)
  --no-watch       compare all files before each query instead of watching them
  --version        print the version
  --help           print this text
`;

/** Parses the command line arguments. */
export function readCommand(args: readonly string[], version: string): Command {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        root: { type: 'string' },
        cache: { type: 'string' },
        'no-watch': { type: 'boolean' },
        version: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    if (values.help === true) return { kind: 'print', text: HELP };
    if (values.version === true) return { kind: 'print', text: `${version}\n` };
    if (positionals.length > 1) return { kind: 'refuse', text: `Give one folder, not ${positionals.length}.` };
    const given = resolve(values.root ?? positionals[0] ?? '.');
    if (!existsSync(given) || !statSync(given).isDirectory())
      return { kind: 'refuse', text: `${given} is not a folder. Give the root of a worktree.` };
    const cache = resolve(values.cache ?? join(userCacheFolder(), 'roberto-mcp'));
    return { kind: 'serve', root: realpathSync(given), cache, watch: values['no-watch'] !== true };
  } catch (error) {
    return {
      kind: 'refuse',
      text: `${error instanceof Error ? error.message : String(error)} See roberto-mcp --help.`,
    };
  }
}
