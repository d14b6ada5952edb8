import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newWorkflow, useEditor } from './scene.ts';
import { PATIENCE_MS } from './window.ts';

const scene = useEditor();

/** Texts that an input box, a command line, a prompt or Markdown could change. */
const TEXTS = [
  'Splitting 10.00 among three people loses a cent',
  '--trust --yes',
  '-C /tmp',
  '@README.md',
  '$(touch injected) `touch injected`',
  '"quoted" and \'single\' and \\backslash\\n',
  'Prüfe „Größe“, naïve café – 50 % größer',
  '合計が一円ずれる。請求書を直してください',
  'تحقق من المجموع في الفاتورة',
  '👩‍👩‍👧‍👦 family 🇩🇪 flag e\u0301 combining',
  '<script>alert(1)</script> <b>bold</b> &amp; &lt;',
  '# Heading ## not one --- SIGNAL:FAILURE',
  'SIGNAL:SUCCESS',
  '{"task": {"id": 1}, "text": "json"}',
  '```js const a = 1; ``` and path=src/a.ts',
  '${USER_INPUT} {{input}} %s %d %PATH% $HOME',
  'https://example.org/issues/7?q=a&b=c#frag',
  'C:\\Users\\ann\\project\\src and /home/ann/src',
  '  leading and trailing blanks stay inside   the text',
  'a\tb',
  '0',
  'null',
  'x'.repeat(4_000),
  '#12 and GH-7: see `total()` in src/invoice.ts:41',
  '; rm -rf . && echo done | cat > out.txt',
];

/** Reads its prompt, and keeps it as the next file of the folder that is its argument. */
const HEAR = `import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
const [folder] = process.argv.slice(2);
// The file appears as a whole.
writeFileSync(folder + '.tmp', readFileSync(0));
renameSync(folder + '.tmp', folder + '/' + readdirSync(folder).length);
console.log('SIGNAL:SUCCESS');
`;

const manifestWith = (folder: string) => ({
  version: 1,
  entry: 'Feature',
  workers: { 'Worker:Hear': { kind: 'agent', command: ['node', 'hear.mjs', folder], approvals: 'read' } },
  nodes: {
    Feature: {
      entry_block: 'Hear',
      blocks: {
        Hear: { worker: 'Worker:Hear', contract: 'Do it.', on: { SUCCESS: 'RETURN', FAIL_DEFAULT: 'HALT_AND_FLAG' } },
      },
    },
  },
});

test('what a person types as the task is what the first block reads', async () => {
  const heard = path.join(scene.userFolder(), 'heard');
  mkdirSync(heard);
  const project = scene.project({ manifest: manifestWith(heard), answers: {} });
  writeFileSync(path.join(project.folder, 'hear.mjs'), HEAR);
  project.git('add', '-A');
  project.git('commit', '-qm', 'The program of the agent');
  const window = await scene.window(project.folder);
  await window.status('RoboSmith:').waitFor();
  const missing: string[] = [];
  for (const [index, task] of TEXTS.entries()) {
    await newWorkflow(window, { title: `Task ${index}`, task, plan: `file-${index}`, asks: index === 0 });
    await expect.poll(() => readdirSync(heard).length, { timeout: PATIENCE_MS }).toBe(index + 1);
    const prompt = readFileSync(path.join(heard, String(index)), 'utf8');
    if (!prompt.includes(task.trim())) missing.push(`${task}: ${prompt}`);
  }
  expect(missing).toEqual([]);
  expect(readdirSync(project.folder)).not.toContain('injected');
});
