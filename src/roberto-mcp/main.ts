import { openWorktree } from './index/worktree.ts';
import { programFiles } from './program-files.ts';
import { readCommand } from './server/read-command.ts';
import { serve } from './server/serve.ts';
import { VERSION } from './server/version.ts';
import { cachePlace } from './store/cache-place.ts';
import { missingSearch } from './store/open-database.ts';

const EXIT_USAGE = 2;

function fail(message: string): void {
  process.stderr.write(`roberto-mcp: ${message}\n`);
  process.exitCode = EXIT_USAGE;
}

const command = readCommand(process.argv.slice(2), VERSION);
if (command.kind === 'print') process.stdout.write(command.text);
else if (command.kind === 'refuse') fail(command.text);
else {
  const missing = missingSearch();
  if (missing === null) {
    const { root, cache, watch } = command;
    const place = cachePlace(cache, root);
    await serve({
      version: VERSION,
      worktree: openWorktree({ root, place, watch, program: programFiles(import.meta.url) }),
    });
  } else fail(missing);
}
