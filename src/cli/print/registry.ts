import type { Registry } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printProblem } from './problem.ts';
import { harmless, styleFor } from './style.ts';

/** Prints one line per worker, or the problem of the file. */
export function printRegistry(registry: Registry, io: CliIo): void {
  if (!registry.ok) {
    const { code, message, file, line, column, next } = registry.problem;
    printProblem({ code, message: `${file}:${line}:${column}: ${message}`, next }, io);
    return;
  }
  const { paint } = styleFor(io.stdout, io);
  const { entries } = registry;
  const width = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));
  const names = width(entries.map(({ name }) => name));
  const targets = width(entries.map(({ target }) => target));
  for (const { name, target, status, problem } of entries) {
    const mark = status === 'broken' ? paint.red('BROKEN') : paint.green('READY ');
    const why = problem === null ? '' : `  ${harmless(problem).replaceAll('\n', ' ')}`;
    io.stdout.write(
      `${harmless(name).padEnd(names)}  ${paint.dim(harmless(target).padEnd(targets))}  ${mark}${why}`.trimEnd(),
    );
    io.stdout.write('\n');
  }
  io.stdout.write(`\n${summary(registry)}\n`);
}

function summary({ entries, written }: Extract<Registry, { readonly ok: true }>): string {
  if (!written) return 'There is no .flow/flow.registry.json, so only the built-in workers are available.';
  if (entries.length === 0) return 'The registry is empty, so no worker is available.';
  const broken = entries.filter(({ status }) => status === 'broken').length;
  return broken === 0 ? `${entries.length} ready.` : `${entries.length - broken} ready, ${broken} broken.`;
}
