import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, SHARED } from '../desktop/manifests.ts';
import { quickWorkflow } from './project.ts';
import { useEditor } from './scene.ts';

const scene = useEditor();

test('the suite of test/desktop passes inside the extension host', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 1 }));
  writeFileSync(path.join(project.folder, '.vision', 'workflows.json'), MAIN);
  writeFileSync(path.join(project.folder, '.vision', 'shared.json'), SHARED);
  const context = await scene.browser().newContext();
  const page = await context.newPage();
  const { host } = new URL(scene.address());
  const remote = (file: string): string => `vscode-remote://${host}${path.resolve(file)}`;
  const payload = [
    ['extensionDevelopmentPath', remote('dist/vsix')],
    ['extensionTestsPath', remote('test/desktop/suite.cjs')],
  ];
  const said: string[] = [];
  const { promise, resolve } = Promise.withResolvers<number>();
  await page.exposeFunction('codeAutomationExit', (code: number) => resolve(code));
  await page.exposeFunction('codeAutomationLog', (_: string, args: readonly unknown[]) => {
    said.push(...args.map(String).filter((line) => /^(?:ok|failed) /.test(line)));
  });
  const query = `folder=${project.folder}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
  await page.goto(`${scene.address()}/?${query}`, { waitUntil: 'domcontentloaded' });
  const code = await promise;
  await page.close();
  await context.close();
  expect(said.filter((line) => line.startsWith('failed'))).toEqual([]);
  expect(said.length).toBeGreaterThanOrEqual(17);
  expect(code).toBe(0);
});
