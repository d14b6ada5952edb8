import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { readCommand } from './server/read-command.ts';
import { VERSION } from './server/version.ts';

const EXIT_USAGE = 2;

function fail(message: string): void {
  process.stderr.write(`roberto-mcp: ${message}\n`);
  process.exitCode = EXIT_USAGE;
}

const command = readCommand(process.argv.slice(2), VERSION);
if (command.kind === 'print') process.stdout.write(command.text);
else if (command.kind === 'refuse') fail(command.text);
else {
  // Compiling the server takes a third of a warm start, so Node keeps the compiled code of modules that are imported
  // from here on.
  enableCompileCache(join(command.cache, 'compiled'));
  const { startServer } = await import('./start-server.ts');
  const problem = await startServer(command);
  if (problem !== null) fail(problem);
}
