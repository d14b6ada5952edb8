import { expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { openDocuments } from '#cli/docs/pages.ts';
import { fakeIo } from '../../../support/fake-io.ts';

async function robosmith(...args: readonly string[]) {
  const io = fakeIo();
  const code = await main(args, io);
  return { code, out: io.out(), err: io.err() };
}

test('the list has every group, and a name for each page', async () => {
  const { code, out, err } = await robosmith('docs');
  expect([code, err]).toEqual([0, '\nrobosmith docs <page> prints a page.\n']);
  expect(out.split('\n').filter((line) => line !== '' && !line.startsWith(' '))).toEqual([
    'Start',
    'Guides',
    'Cookbook',
    'Coming from',
    'Reference',
  ]);
  const { groups } = await openDocuments();
  for (const { name } of groups.flatMap(({ pages }) => pages)) expect(out).toContain(`  ${name} `);
});

test.each(['worktrees', 'guides/worktrees', 'docs/guides/worktrees.md'])('%s is the same page', async (name) => {
  const { code, out } = await robosmith('docs', name);
  expect([code, out.split('\n')[0]]).toEqual([0, 'PREPARING WORKTREES']);
});

test('a folder stands for its index, and a decision can be read though it is not listed', async () => {
  expect((await robosmith('docs', 'cookbook')).out).toMatch(/^COOKBOOK\n/);
  expect((await robosmith('docs', '2026-11-25-verdicts')).out).toMatch(/^VERDICTS AS DATA\n/);
});

test('an unknown and an ambiguous name say what to type', async () => {
  const unknown = await robosmith('docs', 'worktree');
  expect([unknown.code, unknown.out]).toEqual([2, '']);
  expect(unknown.err).toContain('There is no page "worktree". Did you mean "worktrees"?');
  const twice = await robosmith('docs', 'agents');
  expect(twice.code).toBe(2);
  expect(twice.err).toContain('robosmith docs guides/agents\n');
  expect(twice.err).toContain('robosmith docs reference/agents\n');
});

test('no name leads out of the documents', async () => {
  expect((await robosmith('docs', '../README')).code).toBe(2);
});

test('every page can be printed, without a fence or a link in Markdown', async () => {
  const { pages } = await openDocuments();
  for (const { path } of pages) {
    const { code, out } = await robosmith('docs', path);
    expect([path, code]).toEqual([path, 0]);
    expect([path, out.match(/^```|\]\([^)]*\.md/m)]).toEqual([path, null]);
  }
});

test('the shell is given the names of the pages', async () => {
  const { out } = await robosmith('completion', 'pages');
  expect(out.split('\n')).toContain('plan-to-merge');
  const bash = await robosmith('completion', 'bash');
  expect(bash.out).toMatch(/"docs "\*\)\n.*_robosmith_names pages/);
});
