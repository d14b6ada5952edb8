import { afterEach, expect, test } from 'vitest';
import { type DurableProject, durableProject } from './durable.ts';

let at: DurableProject;
afterEach(() => at.remove());

test.skipIf(process.platform === 'win32')(
  'a host in the foreground says what it finds, and the terminal obeys none of it',
  async () => {
    at = await durableProject({ '.flow/control/a\u001b[2J\u0007b.json': '' });
    const host = await at.until('was removed', 'host', 'start', '--foreground');
    host.signal('SIGINT');
    const { code, err } = await host.ended;
    expect([code, err]).toEqual([0, expect.stringMatching(/\.flow\/control\/a\ufffdb\.json is not a control request/)]);
  },
);
