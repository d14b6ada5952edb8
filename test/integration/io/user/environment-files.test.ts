import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectVariables } from '#io/user/environment-files.ts';
import { withDefaults } from '#io/process/environment.ts';
import { agentEnvironment } from '#workers/agent/agent-variables.ts';
import { newFolder, removeFolder } from '../../../support/in-folder.ts';

let base = '';
beforeEach(async () => {
  base = await newFolder();
  await mkdir(path.join(base, 'home/p/sub/.gemini'), { recursive: true });
});
afterEach(() => removeFolder(base));

const put = (name: string, text: string): Promise<void> => writeFile(path.join(base, name), text);

const FILES = { files: ['.gemini/.env', '.env'], home: 'OWN_HOME' };

const found = () => projectVariables(path.join(base, 'home/p/sub'), FILES, { OWN_HOME: path.join(base, 'home') });

test('names of variables in the folder and above it are of the project, those in the home folder of the user', async () => {
  await put('home/p/sub/.gemini/.env', '# c\nexport A = "1\nB=2"\r\n');
  await put('home/p/.env', 'C: 3\n  D\t=4');
  await put('.env', 'E=5');
  await put('home/.env', 'F=6');
  const { project, user } = await found();
  expect([[...project].sort(), user]).toEqual([['A', 'B', 'C', 'D', 'E'], ['F']]);
});

test('a folder, a dangling link and no file have no names; a file that is too large stops the start', async () => {
  await mkdir(path.join(base, 'home/p/.env'));
  await symlink('nowhere', path.join(base, 'home/p/sub/.env'));
  expect(await found()).toEqual({ project: [], user: [] });
  await put('.env', 'A=1\n'.repeat(300_000));
  await expect(found()).rejects.toMatchObject({ code: 'precondition_failed' });
});

test("the user's value or the default is set; what only the user's own file sets is left to it", () => {
  const { envDefaults = {}, envNames = [] } = agentEnvironment('gemini', ['GEMINI_API_KEY'], {
    project: ['LD_PRELOAD', 'GEMINI_SANDBOX_IMAGE', 'GOOGLE_CLOUD_PROJECT'],
    user: ['GOOGLE_GEMINI_BASE_URL', 'GEMINI_API_KEY', 'GOOGLE_CLOUD_PROJECT'],
  });
  expect(envDefaults).toMatchObject({ LD_PRELOAD: '', GOOGLE_CLOUD_PROJECT: '', GOOGLE_API_KEY: '' });
  expect(envDefaults['GEMINI_SANDBOX_IMAGE']).not.toBe('');
  expect(envDefaults).not.toHaveProperty('GOOGLE_GEMINI_BASE_URL');
  expect(envDefaults).not.toHaveProperty('GEMINI_API_KEY');
  expect(envNames).toContain('GOOGLE_GEMINI_BASE_URL');
  expect(envNames).not.toContain('GOOGLE_API_KEY');
  expect(withDefaults({ HTTPS_PROXY: 'http://own' }, { https_proxy: '', HTTP_PROXY: '' })).toEqual({
    HTTPS_PROXY: 'http://own',
    https_proxy: 'http://own',
    HTTP_PROXY: '',
  });
});
