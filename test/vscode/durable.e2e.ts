import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { haltingWorkflow, type Project, quickWorkflow } from './project.ts';
import { begin, MERGE, missionControl, newWorkflow, useEditor } from './scene.ts';
import { picture } from './window.ts';

const scene = useEditor();

/** How a session stands, as the command line tells it. */
function stateOf(project: Project, title: string): string | undefined {
  const { sessions } = JSON.parse(project.robosmith('sessions', '--json')) as {
    readonly sessions: readonly { readonly session: { readonly title: string; readonly state: string } }[];
  };
  return sessions.find(({ session }) => session.title === title)?.session.state;
}

test('a folder that is in no repository is told so, once', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-plain-'));
  mkdirSync(path.join(folder, '.vision'));
  writeFileSync(path.join(folder, '.vision', 'workflows.json'), '{ "version": 1, "nodes": {} }\n');
  const window = await scene.window(folder);
  await window.command('Notifications: Show Notifications');
  const told = window.page.locator('.notifications-center .notification-list-item', {
    hasText: 'RoboSmith requires the project to be a Git repository to function.',
  });
  await told.waitFor();
  await picture(window.page, 'no-git');
  expect(await told.count()).toBe(1);
  expect(await window.status('RoboSmith').count()).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

test('a window that is reloaded in mid-run shows the run again, which has gone on', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 40_000 }));
  const window = await begin(scene, project, { title: 'Reload me' });
  await (await missionControl(window, 'Reload me')).getByText('Running').first().waitFor();
  const host = project.hostPid();
  await window.reload();
  const view = await missionControl(window, 'Reload me');
  await view.getByText('Running').first().waitFor();
  await picture(window.page, 'reloaded');
  await missionControl(window, MERGE);
  expect(project.hostPid()).toBe(host);
});

test('a host that is killed in mid-run is replaced, and the run goes on when a person says so', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 8_000 }));
  const window = await begin(scene, project, { title: 'Kill the host' });
  await (await missionControl(window, 'Kill the host')).getByText('Running').first().waitFor();
  const host = project.hostPid();
  if (host === null) throw new Error('no host runs');
  process.kill(host, 'SIGKILL');
  const view = await missionControl(window, 'Interrupted');
  await picture(window.page, 'host-killed');
  await view.getByRole('button', { name: 'Resume', exact: false }).first().click();
  await missionControl(window, MERGE);
  expect(project.hostPid()).not.toBe(host);
});

test('two windows show the same run, and an answer of one is seen in the other', async () => {
  const project = scene.project(haltingWorkflow({ writeMs: 1_000 }));
  const first = await begin(scene, project, { title: 'Seen twice' });
  const second = await scene.window(project.folder);
  await second.status('RoboSmith:').waitFor();
  await second.command('RoboSmith: Open Mission Control');
  await missionControl(first, 'Action required');
  const view = await missionControl(second, 'Action required');
  await view.getByRole('button', { name: 'Retry' }).first().click();
  await missionControl(first, MERGE);
  await missionControl(second, MERGE);
});

test('of two sessions that plan the same file, the second waits, and starts when the first is merged', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 6_000 }));
  const window = await begin(scene, project, { title: 'First of two' });
  await missionControl(window, 'First of two');
  await newWorkflow(window, { title: 'Second of two', asks: false });
  const waiting = await missionControl(window, 'Second of two');
  await waiting.getByText('Clash').first().waitFor();
  expect(stateOf(project, 'Second of two')).toBe('queued');
  await picture(window.page, 'race');
  await waiting.getByRole('tab', { name: 'First of two' }).click();
  const done = await missionControl(window, MERGE);
  await done.getByRole('button', { name: MERGE }).click();
  await expect.poll(() => stateOf(project, 'Second of two'), { timeout: 120_000 }).toBe('ready');
  await picture(window.page, 'race-second');
});

test('the window works in the worktree of a session, while its run goes on', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 40_000 }));
  const window = await begin(scene, project, { title: 'Work inside' });
  await (await missionControl(window, 'Work inside')).getByText('Running').first().waitFor();
  await window.status('RoboSmith:').click();
  await window.pick('Work inside');
  await window.status('RoboSmith: Work inside').waitFor({ timeout: 120_000 });
  await missionControl(window, 'Work inside');
  await picture(window.page, 'swapped');
  expect(stateOf(project, 'Work inside')).toBe('running');
  await window.status('RoboSmith:').click();
  await window.pick('greeter');
  await window.status('RoboSmith: greeter').waitFor({ timeout: 120_000 });
});

test('activation takes no more than 150 ms, as VS Code itself measures it', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 300 }));
  const window = await scene.window(project.folder);
  await window.status('RoboSmith:').waitFor();
  await window.command('Developer: Show Running Extensions');
  const row = window.page.locator('.runtime-extensions-editor .extension', { hasText: 'RoboSmith' }).first();
  const time = row.locator('.activation-time');
  await time.waitFor();
  const text = await time.innerText();
  await picture(window.page, 'activation');
  console.log(`RoboSmith in VS Code: ${text}`);
  expect(Number(/(\d+)\s*ms/.exec(text)?.[1])).toBeLessThanOrEqual(150);
});
