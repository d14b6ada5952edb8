import { AFTER, BEFORE, OPERATIONS } from './loom-scene.ts';

/** A small project in which one worker changes files, uses git or calls a model. */
export interface WorldCase {
  readonly name: string;
  /** The project's files, including `.vision/workflows.json` unless the project has a work plan. */
  readonly files: Readonly<Record<string, string>>;
  /** The expected file contents at the end, by file name, no matter where processes were killed. */
  readonly ends: Readonly<Record<string, string>>;
  readonly git?: true;
  /** The scripted answer of the model. */
  readonly model?: string;
  /** True if the work plan is executed instead of a single run. */
  readonly tasks?: true;
  /** True if the work must not be repeated. If a crash cuts it off after its effect, a person decides. */
  readonly once?: true;
}

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

/** A placeholder for the model's address. The test replaces it with the address of its own server. */
export const MODEL_URL = 'http://model.invalid';

interface Work {
  readonly block: object;
  readonly workers?: object;
  readonly commands?: object;
  readonly more?: object;
  /** Answers of the scripted block before the work. */
  readonly says?: readonly object[];
}

/** Builds a project with the worker's block between two scripted blocks. */
function project({ block, workers = {}, commands = {}, more = {}, says = [] }: Work): Readonly<Record<string, string>> {
  const say = { worker: 'Worker:Says' };
  const manifest = {
    version: 1,
    entry: 'Main',
    commands,
    workers: { 'Worker:Says': { kind: 'scripted', answers: './answers.json' }, ...workers },
    nodes: {
      Main: {
        entry_block: 'Say',
        blocks: {
          Say: { ...say, transitions: [row('SUCCESS', 'JUMP:Work')] },
          Work: { transitions: [row('SUCCESS', 'JUMP:Last')], ...block },
          ...more,
          Last: { ...say, transitions: [row('SUCCESS', 'RETURN')] },
        },
      },
    },
  };
  const answers = { 'Worker:Says': [{ signal: 'SIGNAL:SUCCESS', append: says }] };
  return { '.vision/workflows.json': JSON.stringify(manifest), '.vision/answers.json': JSON.stringify(answers) };
}

const code = (content: string) => ({ type: 'CODE_OUTPUT', content });
const shared = { mode: 'shared' };

const CODE = '```ts src/a.ts\nexport const a = 1;\n```\n\n```ts src/deep/b.ts\nexport const b = 2;\n```\n';
const WRITTEN = { 'src/a.ts': 'export const a = 1;\n', 'src/deep/b.ts': 'export const b = 2;\n' };

/** A command that writes its progress to the file `ran` and to its output. */
const PROGRAM = ['/bin/sh', '-c', 'echo begun >> ran; echo one; echo two >&2; echo done >> ran'];

const runner = (worker: string, command: string): Pick<WorldCase, 'files' | 'ends'> => ({
  files: project({ block: { worker }, commands: { [command]: PROGRAM } }),
  ends: {},
});

const TASK = `import { appendFileSync } from 'node:fs';
export const Say = {
  sideEffects: 'idempotent',
  execute: async () => {
    appendFileSync('ran', 'begun\\ndone\\n');
    return { signal: 'SIGNAL:SUCCESS' };
  },
};
`;

export const WORLD_CASES: readonly WorldCase[] = [
  {
    name: 'FileSystemWriter',
    files: project({ block: { worker: 'Internal:FileSystemWriter', access: shared }, says: [code(CODE)] }),
    ends: WRITTEN,
  },
  {
    name: 'DocumentationWriter',
    files: project({
      block: { worker: 'Internal:DocumentationWriter', artifact: ['docs/guide.md'] },
      says: [{ type: 'DOCUMENTATION_OUTPUT', content: 'Here it is:\n\n# Guide\n\nRead it.\n' }],
    }),
    ends: { 'docs/guide.md': '# Guide\n\nRead it.\n' },
  },
  {
    name: 'Loom',
    files: { ...BEFORE, ...project({ block: { worker: 'Internal:Loom', access: shared }, says: [code(OPERATIONS)] }) },
    ends: AFTER,
  },
  {
    name: 'a model in loom mode',
    files: {
      ...BEFORE,
      ...project({
        block: { worker: 'Worker:Editor', access: shared },
        workers: {
          'Worker:Editor': {
            kind: 'ai',
            provider: 'openai-compatible',
            model: 'tiny',
            base_url: MODEL_URL,
            mode: 'loom',
          },
        },
      }),
    },
    ends: AFTER,
    model: OPERATIONS,
  },
  {
    name: 'GitCommit',
    files: project({
      block: { worker: 'Internal:FileSystemWriter', access: shared, transitions: [row('SUCCESS', 'JUMP:Commit')] },
      more: {
        Commit: { worker: 'Internal:GitCommit', access: shared, transitions: [row('SUCCESS', 'JUMP:Last')] },
      },
      says: [code(CODE)],
    }),
    ends: WRITTEN,
    git: true,
  },
  {
    name: 'UpdateChangePlan',
    files: project({
      block: { worker: 'Internal:UpdateChangePlan' },
      says: [{ type: 'NEW_FILES_IDENTIFIED', content: '["src/a.ts"]' }],
    }),
    ends: {},
  },
  { name: 'TestRunner', ...runner('Internal:TestRunner', 'test') },
  { name: 'RunLinter', ...runner('Internal:RunLinter', 'lint') },
  { name: 'RunBuilder', ...runner('Internal:RunBuilder', 'build') },
  {
    name: 'Command, repeatable',
    files: project({
      block: { worker: 'Internal:Command', params: { command: PROGRAM }, side_effects: 'idempotent' },
    }),
    ends: {},
  },
  {
    name: 'Command, once',
    files: project({ block: { worker: 'Internal:Command', params: { command: PROGRAM } } }),
    ends: {},
    once: true,
  },
  {
    name: 'evidence',
    files: project({
      block: {
        worker: 'Internal:FileSystemWriter',
        access: shared,
        evidence: [{ file: 'src/a.ts', contains: 'a = 1' }, { command: PROGRAM }],
      },
      says: [code(CODE)],
    }),
    ends: WRITTEN,
  },
  {
    name: 'task tree',
    files: {
      '.flow/flow.registry.json': '{ "say": "./say.mjs#Say" }',
      '.flow/status.md': '- [ ] Build\n    - [ ] [say] one\n- [ ] [say] two\n',
      'say.mjs': TASK,
    },
    ends: { '.flow/status.md': '- [x] Build\n    - [x] [say] one\n- [x] [say] two\n' },
    tasks: true,
  },
];
