import { expect, test } from 'vitest';
import { haltingWorkflow } from './project.ts';
import { begin, MERGE, missionControl, useEditor } from './scene.ts';
import { PATIENCE_MS, picture } from './window.ts';

const scene = useEditor();
const PATIENCE = { timeout: PATIENCE_MS };

test('the inspector shows the actors of a run that halts, and goes on when it is answered', async () => {
  const project = scene.project(haltingWorkflow());
  const window = await begin(scene, project, { title: 'Look inside' });
  await missionControl(window, 'Action required');
  await window.command('RoboSmith: Open Inspector');
  const view = await window.view('main', 'Save recording');
  const actor = (text: string | RegExp) => view.getByRole('treeitem').filter({ hasText: text });
  await actor(/Feature__\w+@HALT/).click();
  await view.locator('.state.active', { hasText: '@HALT' }).waitFor();
  expect(await actor('Look inside').count()).toBe(1);
  expect(await actor('code analysis servers').count()).toBe(1);
  await picture(window.page, 'inspector-halted');

  await window.command('RoboSmith: Open Mission Control');
  const control = await missionControl(window, 'Action required');
  await control
    .getByRole('button', { name: /^Try .+ again/ })
    .first()
    .click();
  await missionControl(window, MERGE);
  await window.command('RoboSmith: Open Inspector');
  await expect.poll(() => actor('@done').count(), PATIENCE).toBe(1);
  await picture(window.page, 'inspector-done');
});
