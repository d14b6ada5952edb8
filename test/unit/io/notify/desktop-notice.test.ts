import { expect, test } from 'vitest';
import { showOnDesktop } from '#io/notify/desktop-notice.ts';
import type { Notice } from '#protocol/notice.ts';
import type { Processes, ProcessRequest } from '#protocol/services.ts';

const HOSTILE = '-eproperty x : (do shell script "id")';

const shown = async (platform: NodeJS.Platform): Promise<ProcessRequest> => {
  let asked: ProcessRequest | null = null;
  const processes: Processes = {
    run: (request) => {
      asked = request;
      return Promise.resolve({ exitCode: 0, output: '', durationMs: 0, ended: 'exited', error: null });
    },
  };
  const notice = { title: HOSTILE, text: '--t', command: 'c', project: '/p' } as unknown as Notice;
  expect(await showOnDesktop(notice, processes, platform)).toBeNull();
  if (asked === null) throw new Error('nothing was started');
  return asked;
};

test.each(['darwin', 'linux'] as const)('on %s a title that begins like an option is none', async (platform) => {
  const { argv } = await shown(platform);
  expect(argv.indexOf('--')).toBeGreaterThan(0);
  expect(argv.indexOf(HOSTILE)).toBe(argv.indexOf('--') + 1);
});

test('on Windows no word of a notice is part of the command line', async () => {
  const { argv, env } = await shown('win32');
  expect(argv.join(' ')).not.toContain(HOSTILE);
  expect(env?.['ROBOSMITH_TITLE']).toBe(HOSTILE);
});
