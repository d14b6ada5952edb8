import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HostToView, IntegrationState, ViewToHost } from '#protocol/generated/view.gen.ts';
import type { HostNotices, HostStatus } from '#protocol/host.ts';
import { type RawClient, rawClient } from './raw-client.ts';
import { type SessionProject, sessionProject } from './session-project.ts';
import { until } from '../../support/until.ts';

/*
 * The result that views show of a session, with a host of the built command line and a real worktree.
 */

type Payload<Command extends ViewToHost['command']> = Extract<ViewToHost, { command: Command }>['payload'];

let at: SessionProject;
let client: RawClient;

beforeEach(async () => {
  at = await sessionProject();
  await at.robosmith('sessions', 'new', 'Work');
  client = await startHost();
});
afterEach(async () => {
  client.close();
  await at.remove();
});

/** Starts the host and connects to it. */
async function startHost(): Promise<RawClient> {
  const { out, err } = await at.robosmith('host', 'start', '--json');
  const { host } = JSON.parse(out) as { readonly host: HostStatus | undefined };
  if (host === undefined) throw new Error(err);
  const found = await rawClient(host.socket);
  await found.hello(readFileSync(host.socket.replace(/\.sock$/, '.token'), 'utf8'));
  return found;
}

/** Opens a view of a session. */
async function viewOf(open: string) {
  const { ask, notices } = client;
  const { view } = (await ask('view.open', { open })).result as { readonly view: number };
  const messages = (): readonly HostToView[] =>
    notices
      .filter(({ method }) => method === 'view')
      .map(({ params }) => params as HostNotices['view'])
      .flatMap((notice) => (notice.view === view ? [notice.message] : []));
  const send = <Command extends ViewToHost['command']>(command: Command, payload: Payload<Command>): void =>
    void ask('view.send', { view, message: { protocol: 1, command, payload } });
  send('ready', { view: 'mission-control' });
  return {
    send,
    result: (): IntegrationState | null =>
      messages()
        .flatMap((one) =>
          one.command === 'snapshot'
            ? [one.payload.state.integration]
            : one.command === 'patch'
              ? one.payload.changes.flatMap((change) => (change.kind === 'integration' ? [change.integration] : []))
              : [],
        )
        .at(-1) ?? null,
    /** The keys of the drafts of other views that it was told. */
    told: () =>
      messages().flatMap((one) =>
        one.command === 'patch'
          ? one.payload.changes.flatMap((change) =>
              change.kind === 'drafts' ? change.drafts.map(({ key }) => key) : [],
            )
          : [],
      ),
    drafts: () =>
      new Map(
        messages().flatMap((one) => {
          const drafts =
            one.command === 'snapshot'
              ? one.payload.state.drafts
              : one.command === 'patch'
                ? one.payload.changes.flatMap((change) => (change.kind === 'drafts' ? change.drafts : []))
                : [];
          return drafts.map(({ key, text }) => [key, text] as const);
        }),
      ),
    reply: (request: string) =>
      messages()
        .flatMap((one) => (one.command === 'reply' && one.payload.request === request ? [one.payload] : []))
        .at(0),
  };
}

const filesOf = (result: IntegrationState | null): readonly string[] =>
  result?.files.map(({ path: file }) => file) ?? [];

const MERGE = { message: null, strategy: null, verify: false } as const;

test('the result follows edits in the worktree and commits on the base, and only shown work is merged', async () => {
  const { id, worktree } = await at.session('Work');
  if (worktree === null) throw new Error('the session has no worktree');
  const view = await viewOf(id);
  await until(() => view.result() !== null);
  expect(view.result()).toMatchObject({ files: [], unread: null, base: { ahead: 0 } });
  expect(view.result()?.controls.merge).toContain('nothing to merge');

  writeFileSync(path.join(worktree, 'one.ts'), 'export const one = 1;\n');
  await until(() => filesOf(view.result()).includes('one.ts'));
  expect(view.result()?.controls.merge).toBeNull();
  const seen = view.result()?.tree ?? null;
  expect(seen).toMatch(/^[0-9a-f]{40}$/);

  // The work changes after the page was shown, so the merge of the shown work is refused and names the file.
  writeFileSync(path.join(worktree, 'two.ts'), 'export const two = 2;\n');
  view.send('merge', { request: 'a', session: id, ...MERGE, tree: seen });
  await until(() => view.reply('a') !== undefined);
  expect(view.reply('a')).toMatchObject({ ok: false });
  await until(() => view.result()?.refusal?.files.includes('two.ts') === true);
  expect(at.git('log', '--format=%s', '-1', 'main')).not.toContain('Work');

  at.write('base.txt', 'more\n');
  at.git('add', '-A');
  at.git('commit', '-qm', 'Base moves');
  await until(() => view.result()?.base.ahead === 1 && filesOf(view.result()).length === 2);
  view.send('merge', { request: 'b', session: id, ...MERGE, tree: view.result()?.tree ?? null });
  await until(() => view.result()?.state === 'merged');
  expect(view.reply('b')).toMatchObject({ ok: true });
  expect(view.result()).toMatchObject({ unread: null, tree: null });
  expect(view.result()?.files.map(({ path: file, added }) => [file, added])).toEqual([
    ['one.ts', 1],
    ['two.ts', 1],
  ]);
});

test('a draft is shared between views, and a view of the next host has it', async () => {
  const { id } = await at.session('Work');
  const [one, other] = [await viewOf(id), await viewOf(id)];
  await until(() => one.result() !== null && other.result() !== null);
  const key = `message ${id}`;
  one.send('draft', { key, text: 'Add it' });
  await until(() => other.drafts().get(key) === 'Add it');
  // The view that it was written in is not told, because its text may have changed since.
  expect(one.told()).not.toContain(key);
  await at.robosmith('host', 'stop');
  client = await startHost();
  const next = await viewOf(id);
  await until(() => next.result() !== null);
  expect(next.drafts().get(key)).toBe('Add it');
});
