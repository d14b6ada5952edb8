import type { RelatedPlace } from '#protocol/diagnostic.ts';
import type { Graph } from '#protocol/graph.ts';
import { ruleText } from '#protocol/rule.ts';
import { type Counterexample, type JudgedRule, pathText, stepText } from '#protocol/rule-verdict.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import type { ResolvedManifest } from '../2-resolve/resolved-manifest.ts';

/** The maximum number of steps of a path that a diagnostic lists as places. */
const MOST_PLACES = 30;

function placesOf({ steps }: Counterexample, { nodes }: Graph): readonly RelatedPlace[] {
  const origins = new Map(nodes.flatMap(({ blocks }) => blocks).map(({ id, origin }) => [id, origin]));
  return steps.slice(0, MOST_PLACES).flatMap((step, index) => {
    const origin = origins.get(step.block);
    return origin === undefined ? [] : [{ ...origin, message: `${index + 1}. ${stepText(step)}` }];
  });
}

const isBypass = ({ steps }: Counterexample): boolean =>
  steps.some(({ answers }) => answers.some(({ answer }) => answer === 'next' || answer === 'jump'));

function remedyOf(path: Counterexample): string {
  if (isBypass(path))
    return 'Only an answer of a person leads there: add "person_may_bypass": true if persons may do so.';
  if (path.assumes.length > 0) return `Change the rows, or the rule. The path assumes: ${path.assumes.join('; ')}.`;
  return 'Change the rows of the last blocks of the path, or the rule.';
}

/** Reports the rules that do not hold, and warns of those that never apply. */
export function reportRules(
  rules: readonly JudgedRule[],
  { rules: written, root }: ResolvedManifest,
  graph: Graph,
  { report, at }: Diagnose,
): void {
  const { file } = at({ container: root }).place;
  rules.forEach(({ rule, verdict }, index) => {
    const spot = { container: written[index] ?? {} };
    const text = ruleText(rule);
    switch (verdict.kind) {
      case 'broken': {
        const params = { rule: text, path: pathText(verdict.path), remedy: remedyOf(verdict.path) };
        report('RS3005', spot, params, { related: placesOf(verdict.path, graph) });
        return;
      }
      case 'unproved':
        report('RS3006', spot, { rule: text, limit: `${verdict.most} visits` });
        return;
      case 'unused':
        // An imported workflow brings its rules, of which an importer may need only some.
        if (rule.origin.file === file) report('RS4017', spot, { rule: text });
        return;
      case 'proved':
    }
  });
}
