import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readPackage } from './read-package.ts';
import { missionControl, packaged, useEditor } from './scene.ts';
import { PATIENCE_MS, picture } from './window.ts';

const scene = useEditor();

/** What only the npm package contains: the library, the programs' entries, and documents about the repository. */
const OF_NPM = /^(dist\/lib\/|bin\/|package\.json$|readme\.md$|architecture\.md$|contributing\.md$)/;

/** What only the extension contains. */
const OF_VSIX = /^(out\/|media\/|l10n\/|package\.json$|package\.nls|readme\.md$)/;

test('both packages contain the same program, documents and schemas', () => {
  const packed = execFileSync('npm', ['run', '--silent', 'pack'], { encoding: 'utf8' }).trim();
  const npm = execFileSync('tar', ['-tzf', packed], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, '').toLowerCase());
  // The packager changes the case of some names, and gives the licence an extension.
  const vsix = [...readPackage(packaged()).keys()]
    .filter((name) => name.startsWith('extension/'))
    .map((name) =>
      name
        .replace(/^extension\//, '')
        .replace(/^LICENSE\.txt$/, 'LICENSE')
        .toLowerCase(),
    );
  const [inNpm, inVsix] = [new Set(npm), new Set(vsix)];
  expect(npm.filter((name) => !inVsix.has(name) && !OF_NPM.test(name))).toEqual([]);
  expect(vsix.filter((name) => !inNpm.has(name) && !OF_VSIX.test(name))).toEqual([]);
  expect(vsix.filter((name) => name.startsWith('dist/roberto-mcp/')).length).toBeGreaterThan(20);
});

const WORK = `
import { readFileSync, writeFileSync } from 'node:fs';
const text = readFileSync('src/total.mjs', 'utf8');
if (process.argv[2] === 'rename') writeFileSync('src/total.mjs', text.replaceAll('total', 'sum'));
else writeFileSync('src/use.mjs', "import { total } from './total.mjs';\\nexport const all = total([1, 2]);\\n");
`;

const edits = (what: string): object => ({ kind: 'command', command: ['node', 'work.mjs', what] });

const node = (worker: string): object => ({
  entry_block: 'Edit',
  blocks: { Edit: { worker, access: { mode: 'shared' }, on: { SUCCESS: 'RETURN' } } },
});

const MANIFEST = {
  version: 1,
  entry: 'Ask',
  default_transitions: { FAIL_DEFAULT: 'HALT_AND_FLAG' },
  workers: {
    'Worker:Coder': { kind: 'scripted', answers: './answers.json' },
    'Worker:Rename': edits('rename'),
    'Worker:Use': edits('use'),
  },
  context_slices: { Outline: { queries: [{ tool: 'get_file_outline', args: { file_path: 'src/total.mjs' } }] } },
  nodes: {
    Ask: {
      entry_block: 'Answer',
      blocks: { Answer: { worker: 'Worker:Coder', context_slice: 'Outline', on: { SUCCESS: 'RETURN' } } },
    },
    Rename: node('Worker:Rename'),
    Use: node('Worker:Use'),
  },
};

test('the installed extension analyses code: a slice is filled, and sessions that do not fit together clash', async () => {
  const project = scene.project({ manifest: MANIFEST, answers: { Ask__Answer: [{ signal: 'SIGNAL:SUCCESS' }] } });
  mkdirSync(path.join(project.folder, 'src'));
  const put = (name: string, text: string): void => writeFileSync(path.join(project.folder, name), text);
  put('work.mjs', WORK);
  put('src/total.mjs', 'export function total(prices) {\n  return prices.length;\n}\n');
  project.git('add', '-A');
  project.git('commit', '-qm', 'Code');
  const window = await scene.window(project.folder);
  await window.status('RoboSmith:').waitFor();
  const extensions = path.join(scene.userFolder(), 'extensions');
  const installed = readdirSync(extensions).find((name) => name.includes('robo-smith')) ?? '';
  const cli = path.join(extensions, installed, 'dist', 'cli', 'main.js');
  const slice = execFileSync(process.execPath, [cli, 'context', 'Outline'], { cwd: project.folder, encoding: 'utf8' });
  expect(slice).toContain('total(prices)');

  // The host of these runs is that of the installed extension.
  for (const name of ['Rename', 'Use']) project.robosmith('run', name, '--session', name, '--detach', '--trust');
  await window.command('RoboSmith: Open Mission Control');
  const view = await missionControl(window, 'Rename');
  await view.getByText('Clash (semantic)').first().waitFor({ timeout: PATIENCE_MS });
  await picture(window.page, 'analysis-clash');
});
