/** Git tracks only the registry and the task tree of `.flow/`. */
const RULES = ['.flow/*', '!.flow/flow.registry.json', '!.flow/status.md', '.vision/logs/'];

/** Returns the rules that a .gitignore lacks; '' if it has all. */
export function missingIgnoreRules(present: string): string {
  const lines = new Set(present.split(/\r?\n/).map((line) => line.trim()));
  const missing = RULES.filter((rule) => !lines.has(rule));
  if (missing.length === 0) return '';
  const gap = present === '' ? '' : present.endsWith('\n') ? '\n' : '\n\n';
  return `${gap}# RoboSmith\n${missing.join('\n')}\n`;
}
