import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import type { HostInbox, HostStatus } from '#protocol/host.ts';
import { verifies } from '../verifies.ts';
import { type RawClient, rawClient } from './raw-client.ts';
import { GATED, type SessionProject, sessionProject } from './session-project.ts';

let at: SessionProject;
let client: RawClient | null = null;
afterEach(async () => {
  client?.close();
  client = null;
  await at.remove();
});

async function ofHost(): Promise<HostInbox> {
  if (client === null) {
    const { out } = await at.robosmith('host', 'status', '--json');
    const { socket } = (JSON.parse(out) as { readonly host: HostStatus }).host;
    client = await rawClient(socket);
    await client.hello(readFileSync(socket.replace(/\.sock$/, '.token'), 'utf8'));
  }
  return (await client.ask('inbox')).result as HostInbox;
}

test('host and command line tell the same of what waits: halts, sessions, and the commands that answer them', async () => {
  verifies('engine.host.inbox', 'cli.inbox');
  at = await sessionProject(GATED);
  const begin = async (title: string) => {
    const { code, err } = await at.robosmith('run', 'Fix', '--session', title, '--detach', '--trust');
    expect([code, err]).toEqual([0, expect.any(String)]);
    const { id, runs } = await at.untilState(title, 'halted');
    return { session: id, run: runs[0] ?? '' };
  };
  const waits = await begin('Waits');
  const held = await begin('Held');
  const failed = await begin('Failed');
  const done = await begin('Done');
  expect((await at.robosmith('sessions', 'hold', 'Held')).code).toBe(0);
  expect((await at.robosmith('resume', failed.run, '--abort')).code).toBe(1);
  at.openGate();
  expect((await at.robosmith('resume', done.run, '--proceed')).code).toBe(0);

  const sent = await ofHost();
  const { ok, ...printed } = JSON.parse((await at.robosmith('inbox', '--json')).out) as HostInbox & {
    readonly ok: boolean;
  };
  expect(ok).toBe(true);
  expect(sent).toEqual(printed);
  expect(sent.waiting).toMatchObject([
    {
      ...waits,
      block: 'Fix__Edit',
      why: 'gate',
      answers: expect.arrayContaining([`robosmith resume ${waits.run} --halt h1 --proceed`]) as string[],
    },
  ]);
  expect(sent.sessions?.map(({ session, state }) => [session, state])).toEqual([
    [failed.session, 'failed'],
    [done.session, 'ready'],
  ]);
  expect(sent.sessions?.flatMap(({ answers }) => answers)).toContain(`robosmith sessions merge ${done.session}`);
  expect(JSON.stringify(sent)).not.toContain(held.run);

  const from = await at.robosmith('-C', '.', 'inbox');
  expect(from.out).toContain(`  robosmith -C . resume ${waits.run} --halt h1 --proceed\n`);
  expect(from.out).toContain(`  robosmith -C . sessions merge ${done.session}\n`);

  // A later query to the host sees the changes of all commands.
  expect((await at.robosmith('sessions', 'discard', 'Failed', '--yes')).code).toBe(0);
  expect((await ofHost()).sessions?.map(({ session }) => session)).toEqual([done.session]);
});
