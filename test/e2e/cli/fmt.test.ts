import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { project, type Project } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const MAIN = '{ // the entry\n"imports": ["./lib.json"],\n\t"nodes": { "N": { "entry_block": "A",\n"blocks": {}}}}';

test('fmt formats the manifest and its imports, keeps comments, and --check only looks', async () => {
  at = await project({ '.vision/workflows.jsonc': MAIN, '.vision/lib.json': '{\n"workers":{} }' });
  const checked = await at.robosmith('fmt', '--check');
  expect(checked.code).toBe(1);
  expect(checked.err).toContain('.vision/workflows.jsonc is not formatted.');
  expect(checked.err).toContain('.vision/lib.json is not formatted.');
  expect(checked.err).toContain('robosmith fmt');
  expect(await readFile(at.file('.vision/workflows.jsonc'), 'utf8')).toBe(MAIN);
  expect((await at.robosmith('fmt')).code).toBe(0);
  expect(await readFile(at.file('.vision/lib.json'), 'utf8')).toBe('{\n  "workers": {} }\n');
  expect((await readFile(at.file('.vision/workflows.jsonc'), 'utf8')).split('\n')[0]).toBe('{ // the entry');
  const again = await at.robosmith('fmt', '--check', '--json');
  expect([again.code, JSON.parse(again.out)]).toEqual([0, { ok: true, changed: [] }]);
});

const SHORT = `{
  "workers": { "Coder": { "kind": "scripted", "answers": "./answers.json" } },
  "nodes": {
    "N": {
      "blocks": {
        // Writes the code.
        "Write": { "worker": "Coder", "on": { "SUCCESS": "Test", "FAIL_DEFAULT": "person" } },
        "Test": {
          "worker": "TestRunner",
          "on": {
            "SUCCESS": "done", // the end
            "FAILURE": [{ "to": "Write", "at_most": 3 }, "person"],
            "FAIL_DEFAULT": "person"
          }
        }
      }
    }
  }
}
`;

const LONG = `{
  "workers": { "Worker:Coder": { "kind": "scripted", "answers": "./answers.json" } },
  "nodes": {
    "N": {
      "entry_block": "Write",
      "blocks": {
        // Writes the code.
        "Write": { "worker": "Worker:Coder", "transitions": [{ "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Test" }, { "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "HALT_AND_FLAG" }] },
        "Test": {
          "worker": "Internal:TestRunner",
          "transitions": [
            { "on_signal": "SIGNAL:SUCCESS", "action": "RETURN" }, // the end
            { "on_signal": "SIGNAL:FAILURE", "action": "JUMP:Write", "condition": { "id": "visits.less_than", "args": [4] } }, { "on_signal": "SIGNAL:FAILURE", "action": "HALT_AND_FLAG" },
            { "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "HALT_AND_FLAG" }
          ]
        }
      }
    }
  }
}
`;

test('fmt --long and --short translate, keep comments, and refuse each other and a manifest with errors', async () => {
  at = await project({ '.vision/workflows.jsonc': SHORT, '.vision/answers.json': {} });
  const text = (): Promise<string> => readFile(at.file('.vision/workflows.jsonc'), 'utf8');
  const checked = await at.robosmith('fmt', '--long', '--check');
  expect([checked.code, await text()]).toEqual([1, SHORT]);
  expect(checked.err).toContain('.vision/workflows.jsonc is not in the long form.');
  expect(checked.err).toContain('robosmith fmt --long');
  expect((await at.robosmith('fmt', '--long')).code).toBe(0);
  expect(await text()).toBe(LONG);
  expect((await at.robosmith('fmt', '--short')).err).toContain('.vision/workflows.jsonc is in the short form.');
  expect(await text()).toBe(SHORT);
  expect((await at.robosmith('fmt', '--short', '--check')).err).toContain('1 file is in the short form already.');
  const both = await at.robosmith('fmt', '--short', '--long');
  expect([both.code, both.err]).toEqual([2, expect.stringContaining("--short and --long can't be combined.")]);
  const faulty = await project({ '.vision/workflows.jsonc': SHORT.replace('"Test",', '"Tset",') });
  const refused = await faulty.robosmith('fmt', '--long');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Did you mean "Test"?')]);
  await faulty.remove();
});

test('text that is no JSON is refused, and nothing is written', async () => {
  at = await project({ '.vision/workflows.json': '{ "a": ' });
  const { code, err } = await at.robosmith('fmt');
  expect(code).toBe(2);
  expect(err).toContain('RS1001');
  expect(await readFile(at.file('.vision/workflows.json'), 'utf8')).toBe('{ "a": ');
});

test('two manifests in one project are refused by every command that needs one', async () => {
  at = await project({ '.vision/workflows.json': '{}', '.vision/workflows.jsonc': '{}' });
  for (const command of ['fmt', 'validate', 'graph']) {
    const { code, err } = await at.robosmith(command);
    expect([command, code]).toEqual([command, 2]);
    expect(err).toContain('has both .vision/workflows.json and .vision/workflows.jsonc');
  }
});

const INPUTS = {
  version: 1,
  entry: 'N',
  inputs: { issue: { type: 'number', description: 'The number of the issue.' }, mode: { enum: ['fast', 'careful'] } },
  workers: { 'Worker:A': { kind: 'scripted', answers: './answers.json' } },
  nodes: { N: { entry_block: 'A', blocks: { A: { worker: 'Worker:A', on: { SUCCESS: 'RETURN' } } } } },
};

test('inputs are checked before anything runs, and reach the run', async () => {
  const answers = { N__A: [{ signal: 'SIGNAL:SUCCESS' }] };
  at = await project({ '.vision/workflows.json': INPUTS, '.vision/answers.json': answers });
  const simulate = (...args: readonly string[]) =>
    at.robosmith('simulate', '--script', '.vision/answers.json', '--json', ...args);
  const missing = await simulate('--input', 'issue=12');
  expect(missing.code).toBe(2);
  expect(`${missing.out}${missing.err}`).toContain('The input \\"mode\\" is missing');
  const twice = await simulate('--input', 'issue=12', '--input', 'issue=13', '--input', 'mode=fast');
  expect(`${twice.out}${twice.err}`).toContain('The input \\"issue\\" is given twice.');
  const unknown = await simulate('--input', 'isue=12', '--input', 'mode=fast');
  expect(`${unknown.out}${unknown.err}`).toContain('Did you mean \\"issue\\"?');
  const done = await simulate('--input', 'issue=12', '--input', 'mode=fast');
  expect(done.code).toBe(0);
  const response = JSON.parse(done.out) as { data: { exports: unknown; payload: readonly { content: string }[] } };
  expect(response.data.exports).toEqual({ issue: 12, mode: 'fast' });
  expect(response.data.payload[0]?.content).toBe('issue: 12\nmode: fast');
});
