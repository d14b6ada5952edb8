import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { quickWorkflow, type Project } from './project.ts';
import { missionControl, useEditor } from './scene.ts';
import { type EditorWindow, PATIENCE_MS, picture } from './window.ts';

const scene = useEditor();
const PATIENCE = { timeout: PATIENCE_MS };

interface Plan {
  readonly tasks: readonly { readonly id: string; readonly name: string; readonly status: string }[];
}

/** Returns the plan as the command line lists it: a line for each task. */
const planOf = (project: Project): readonly string[] =>
  (JSON.parse(project.robosmith('tasks', '--json')) as Plan).tasks.map(
    ({ id, name, status }) => `${id} ${name} ${status}`,
  );

const reads = (project: Project, plan: readonly string[]): Promise<void> =>
  expect.poll(() => planOf(project), PATIENCE).toEqual(plan);

const row = ({ page }: EditorWindow, name: string) =>
  page.locator('[id="workbench.parts.sidebar"] .monaco-list-row', { hasText: name });

async function add(window: EditorWindow, name: string, what: string): Promise<void> {
  await window.step('New task');
  await window.type(name);
  await window.pick(what);
  await row(window, name).waitFor();
}

test('the plan is written, ordered, zoomed and repaired in its view, and a task is implemented', async () => {
  const project = scene.project(quickWorkflow());
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith: greeter').waitFor();
  await window.command('Focus on RoboSmith Work Plan View');
  await page.getByText('The work plan has no task yet.').first().waitFor();
  await picture(page, 'plan-empty');

  await page.getByRole('button', { name: 'Add Task…' }).first().click();
  await add(window, 'Write the docs', 'A person does it');
  await window.command('RoboSmith: Add Task…');
  await add(window, 'Greet by name', 'Feature');
  await window.command('RoboSmith: Add Task Below…');
  await window.pick('Write the docs');
  await add(window, 'Draw a picture', 'A person does it');
  await reads(project, ['1 Write the docs pending', '1.1 Draw a picture pending', '2 Greet by name pending']);

  await row(window, 'Greet by name').dragTo(row(window, 'Write the docs'));
  await reads(project, ['1 Greet by name pending', '2 Write the docs pending', '2.1 Draw a picture pending']);

  await window.command('RoboSmith: Set Status of Task…');
  await window.pick('Draw a picture');
  await window.pick('skipped');
  await reads(project, ['1 Greet by name pending', '2 Write the docs skipped', '2.1 Draw a picture skipped']);

  await window.command('RoboSmith: Zoom Into Task');
  await window.pick('Write the docs');
  await page.getByText('Zoomed in: .flow/sub_flows/').waitFor();
  await picture(page, 'plan-zoomed');
  await window.command('RoboSmith: Zoom Out');
  await row(window, 'Greet by name').waitFor();

  const status = path.join(project.folder, '.flow', 'status.md');
  const saved = readFileSync(status, 'utf8');
  appendFileSync(status, '- [ ] From another editor\n');
  await page.getByText('The plan was changed outside of RoboSmith.').waitFor();
  await picture(page, 'plan-changed');
  await window.command('RoboSmith: Restore the Saved Plan');
  await expect.poll(() => readFileSync(status, 'utf8'), PATIENCE).toBe(saved);
  appendFileSync(status, '- [ ] From another editor\n');
  await page.getByText('The plan was changed outside of RoboSmith.').waitFor();
  await window.command('RoboSmith: Accept the Changed Plan');
  await page.getByText('The plan was changed outside of RoboSmith.').waitFor({ state: 'hidden' });
  await row(window, 'From another editor').waitFor();

  await window.command('RoboSmith: Remove Task');
  await window.pick('From another editor');
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await row(window, 'From another editor').waitFor({ state: 'detached' });
  await window.command('RoboSmith: Refresh Work Plan');

  await row(window, 'Greet by name').hover();
  await row(window, 'Greet by name').getByRole('button', { name: 'Implement' }).click();
  await page.getByRole('button', { name: 'Trust and Run' }).click();
  await missionControl(window, 'Greet by name');
  await expect.poll(() => project.sessions().map(({ title }) => title), PATIENCE).toEqual(['Greet by name']);
  await expect.poll(() => row(window, 'Greet by name').innerText(), PATIENCE).toContain('✅');
  await picture(page, 'plan-implemented');
});
