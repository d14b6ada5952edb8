import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program of a fake agent that uses an agent's stream format. `plan` sets its behaviour. */
const FAKE = fileURLToPath(new URL('./fake-agent.mjs', import.meta.url));

export type Style = 'claude' | 'codex' | 'gemini';

/** Returns the fake agent's home folder, which is outside the worktree, next to the project. */
export const homeOf = (folder: string): string => path.join(folder, '..', 'fake');

export const fakeCommand = (style: Style, folder: string): readonly string[] => [
  process.execPath,
  FAKE,
  style,
  homeOf(folder),
];

/** The recorded start of a fake agent. */
export interface Start {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly pid: number;
}

export function startsIn(folder: string): readonly Start[] {
  const file = path.join(homeOf(folder), 'starts.jsonl');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Start);
}

/**
 * Sets the behaviour of the fake agent at its first start, its second start, and so on. The last plan applies to all
 * further starts.
 */
export const plan = (folder: string, ...plans: readonly object[]): Promise<void> =>
  writeFile(path.join(homeOf(folder), 'plan.json'), JSON.stringify(plans));
