import { ruleSentence } from '#protocol/rule.ts';
import { type JudgedRule, stepText } from '#protocol/rule-verdict.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest, type OpenManifest } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { jsonText, printJson } from '../print/json.ts';
import type { ListedRule } from '../print/json-documents.ts';
import { aboutManifest } from '../print/next-commands.ts';
import { printNext } from '../print/problem.ts';
import { harmless, styleFor } from '../print/style.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface RulesOptions {
  readonly script?: string;
  readonly manifest?: string;
  readonly json?: true;
}

/** The errors that say how a rule is broken; with them, the rules are still decided. */
const ABOUT_RULES: ReadonlySet<string> = new Set(['RS3005', 'RS3006']);

/** Prints each rule of the manifest with its proof or the path that breaks it, or the script of one such path. */
export async function rules(options: RulesOptions, io: CliIo): Promise<number> {
  if (options.script !== undefined && options.json === true)
    throw usageError("--script and --json can't be combined.", ['robosmith rules --help']);
  const manifest = await openManifest(options.manifest, [io.cwd], io);
  const invalid = manifest.findings.some(({ code, severity }) => severity === 'error' && !ABOUT_RULES.has(code));
  if (invalid) {
    printInvalid(manifest, io);
    return 2;
  }
  const { rules: judged } = manifest.compilation;
  if (options.script !== undefined) return printScript(options.script, judged, manifest, io);
  const ok = judged.every(isProved);
  if (options.json === true) printJson({ ok, rules: judged.map(listed) }, io.stdout);
  else print(judged, manifest, io);
  return ok ? 0 : 1;
}

const isProved = ({ verdict }: JudgedRule): boolean => verdict.kind === 'proved' || verdict.kind === 'unused';

function listed({ rule, verdict }: JudgedRule, index: number): ListedRule {
  const path = verdict.kind === 'broken' ? verdict.path : null;
  return {
    number: index + 1,
    rule: ruleSentence(rule),
    place: rule.origin,
    verdict: verdict.kind,
    path: path?.steps ?? null,
    missing: path?.missing?.text ?? null,
    assumes: path?.assumes ?? [],
    script: path?.script ?? null,
    most: verdict.kind === 'unproved' ? verdict.most : null,
  };
}

function printScript(number: string, judged: readonly JudgedRule[], manifest: OpenManifest, io: CliIo): number {
  const verdict = judged[Number(number) - 1]?.verdict;
  const next = [aboutManifest('robosmith rules', manifest.isElsewhere ? manifest.shown : undefined)];
  if (verdict === undefined)
    throw usageError(`"${number}" is no number of a rule: the manifest has ${judged.length} rules.`, next);
  const path = verdict.kind === 'broken' ? verdict.path : null;
  if (path === null) throw usageError(`No path breaks rule ${number}.`, next);
  if (path.script === null)
    throw usageError(`No script can run the path that breaks rule ${number}: ${whyNot(path.assumes)}.`, next);
  io.stdout.write(jsonText(path.script));
  return 0;
}

const whyNot = (assumes: readonly string[]): string =>
  assumes.length === 0 ? "branches of a FORK can't be scripted apart" : `it assumes ${assumes.join('; ')}`;

function print(judged: readonly JudgedRule[], manifest: OpenManifest, io: CliIo): void {
  const style = styleFor(io.stdout, io);
  if (judged.length === 0) io.stdout.write(`${manifest.shown} has no rules.\n`);
  for (const [index, one] of judged.entries()) io.stdout.write(`${lines(one, index, style).join('\n')}\n`);
  const [first] = judged.flatMap(({ verdict }, index) =>
    verdict.kind === 'broken' && verdict.path.script !== null ? [index + 1] : [],
  );
  if (first === undefined) return;
  const about = aboutManifest(`robosmith rules --script ${first}`, manifest.isElsewhere ? manifest.shown : undefined);
  printNext([about], io);
}

function lines({ rule, verdict }: JudgedRule, index: number, { paint, symbols }: ReturnType<typeof styleFor>) {
  const except = rule.personMayBypass ? paint.dim(', unless a person answers `next` or `jump`') : '';
  const sentence = `${index + 1}. ${harmless(ruleSentence(rule))}${except}`;
  switch (verdict.kind) {
    case 'proved':
      return [`${paint.green(symbols.ok)} ${sentence}: ${paint.green('proved')}`];
    case 'unused':
      return [`${paint.yellow(symbols.warn)} ${sentence}: ${paint.yellow('no run does what the rule is about')}`];
    case 'unproved':
      return [
        `${paint.red(symbols.bad)} ${sentence}: ${paint.red('not proved')}, conditions and limits permit ${verdict.most}`,
      ];
    case 'broken': {
      const { steps, missing, assumes } = verdict.path;
      return [
        `${paint.red(symbols.bad)} ${sentence}: ${paint.red('broken')}`,
        ...steps.map((step, at) => `     ${at + 1}. ${'  '.repeat(step.depth)}${harmless(stepText(step))}`),
        ...(missing === null ? [] : [`     without ${harmless(missing.text)}`]),
        ...assumes.map((one) => `     assumes that ${harmless(one)}`),
      ];
    }
  }
}
