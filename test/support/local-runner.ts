import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Step {
  readonly name: string;
  readonly id: string | null;
  readonly condition: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly script: string;
}

interface Action {
  readonly defaults: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const plain = (text: string): string => text.replace(/^'(.*)'$/, '$1');

/** Returns the lines below a key, up to the next line that is indented no deeper. */
function below(lines: readonly string[], key: string): readonly string[] {
  const at = lines.findIndex((line) => line.trimEnd() === key || line.startsWith(`${key} `));
  if (at === -1) return [];
  const depth = key.length - key.trimStart().length;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && line.length - line.trimStart().length <= depth);
  return end === -1 ? rest : rest.slice(0, end);
}

/** Returns the values of a field, by entry, such as the defaults of the inputs. */
function fieldOf(lines: readonly string[], field: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  let name = '';
  for (const line of lines) {
    name = /^ {2}([\w-]+):$/.exec(line)?.[1] ?? name;
    const [, key, value] = /^ {4}(\w+): (.*)$/.exec(line) ?? [];
    if (key === field && value !== undefined) found[name] = plain(value);
  }
  return found;
}

function stepOf(lines: readonly string[]): Step {
  const value = (key: string): string | null =>
    lines.find((line) => line.startsWith(`      ${key}: `))?.slice(key.length + 8) ?? null;
  const env = below(lines, '      env:').map((line) => /^ +(\w+): (.*)$/.exec(line) ?? []);
  const script = below(lines, '      run:');
  return {
    name: lines[0]?.replace(/^ +- name: /, '') ?? '',
    id: value('id'),
    condition: value('if'),
    env: Object.fromEntries(env.map(([, key = '', text = '']) => [key, text])),
    script: script.map((line) => line.slice(8)).join('\n'),
  };
}

/** Reads the composite action. Supports only the subset of YAML that this file uses. */
function readAction(file: string): Action {
  const lines = readFileSync(file, 'utf8').split('\n');
  const steps = below(lines, '  steps:');
  const starts = steps.flatMap((line, index) => (line.startsWith('    - name: ') ? [index] : []));
  return {
    defaults: fieldOf(below(lines, 'inputs:'), 'default'),
    outputs: fieldOf(below(lines, 'outputs:'), 'value'),
    steps: starts.map((start, index) => stepOf(steps.slice(start, starts[index + 1]))),
  };
}

type Values = Readonly<Record<string, string>>;

const filled = (text: string, values: Values): string =>
  text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_all, name: string) => values[name] ?? '');

/** Evaluates comparisons of inputs, joined by `&&`, or by `||` in parentheses. */
const holds = (condition: string, values: Values): boolean =>
  condition.split(' && ').every((part) =>
    part
      .replace(/^\((.*)\)$/, '$1')
      .split(' || ')
      .some((one) => {
        const [, name = '', operator, value] = /^([\w.-]+) ([!=]=) '(.*)'$/.exec(one) ?? [];
        if (operator === undefined) throw new Error(`the stand-in does not know the condition ${one}`);
        return (values[name] === value) === (operator === '==');
      }),
  );

export interface RanAction {
  /** The name of the step that failed; null if none did. */
  readonly failed: string | null;
  readonly outputs: Values;
  readonly summary: string;
  readonly log: string;
}

/**
 * Executes the steps of a composite action as a GitHub runner does: with bash and `-eo pipefail`, and with files for
 * outputs.
 */
export function runAction(
  file: string,
  given: Values,
  at: { readonly folder: string; readonly temp: string; readonly env: Values },
): RanAction {
  const { defaults, outputs, steps } = readAction(file);
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...defaults, ...given })) values[`inputs.${name}`] = value;
  mkdirSync(at.temp, { recursive: true });
  const [output, summary, script] = ['output', 'summary', 'step.sh'].map((name) => path.join(at.temp, name));
  writeFileSync(summary ?? '', '');
  let log = '';
  let failed: string | null = null;
  for (const step of steps) {
    if (step.condition !== null && !holds(step.condition, values)) continue;
    writeFileSync(output ?? '', '');
    writeFileSync(script ?? '', step.script);
    const own = Object.fromEntries(Object.entries(step.env).map(([key, text]) => [key, filled(text, values)]));
    const files = { RUNNER_TEMP: at.temp, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
    const ended = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script ?? ''], {
      cwd: at.folder,
      env: { ...at.env, GITHUB_ACTION_PATH: path.dirname(file), ...files, ...own },
      encoding: 'utf8',
    });
    log += `${ended.stdout}${ended.stderr}`;
    for (const line of readFileSync(output ?? '', 'utf8').split('\n')) {
      const end = line.indexOf('=');
      if (end > 0) values[`steps.${step.id ?? ''}.outputs.${line.slice(0, end)}`] = line.slice(end + 1);
    }
    if (ended.status === 0) continue;
    failed = step.name;
    break;
  }
  return {
    failed,
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, text]) => [name, filled(text, values)])),
    summary: readFileSync(summary ?? '', 'utf8'),
    log,
  };
}
