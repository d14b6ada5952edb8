import type { CliIo } from '../terminal/cli-io.ts';
import { type Documents, findPage, openDocuments, readPage, titleOf } from '../docs/pages.ts';
import { roomOn } from '../print/fit-lines.ts';
import { styleFor } from '../print/style.ts';

/** The maximum length of a line of text, in characters. */
const WIDEST = 100;

/** Lists the pages of the documents, or prints one. */
export async function docs(page: string | undefined, io: CliIo): Promise<number> {
  const documents = await openDocuments();
  if (page === undefined) await list(documents, io);
  else await print(documents, page, io);
  return 0;
}

async function list(documents: Documents, io: CliIo): Promise<void> {
  const groups = await Promise.all(
    documents.groups.map(async ({ title: group, pages }) => ({
      group,
      pages: await Promise.all(
        pages.map(async (page) => ({ name: page.name, title: titleOf(await readPage(documents, page)) })),
      ),
    })),
  );
  const { paint } = styleFor(io.stdout, io);
  const width = Math.max(...groups.flatMap(({ pages }) => pages.map(({ name }) => name.length)));
  for (const { group, pages } of groups) {
    io.stdout.write(`${paint.bold(group)}\n`);
    for (const { name, title } of pages) io.stdout.write(`  ${paint.cyan(name.padEnd(width))}  ${title}\n`);
  }
  io.stderr.write('\nrobosmith docs <page> prints a page.\n');
}

async function print(documents: Documents, typed: string, io: CliIo): Promise<void> {
  const page = findPage(documents, typed);
  const text = await readPage(documents, page);
  const { terminalPage } = await import('../docs/terminal-page.ts');
  const { paint } = styleFor(io.stdout, io);
  io.stdout.write(terminalPage(text, page.path, paint, Math.min(WIDEST, roomOn(io.stdout))));
}
