import { RoboSmithError } from '#protocol/error.ts';
import type { WorkerDefinition } from '#protocol/graph.ts';
import type { Services } from '#protocol/services.ts';

/** The text in which a project tells agents how to work in it. */
export interface ProjectRules {
  readonly path: string;
  readonly text: string;
}

/** The files that are looked for, in order. Only the first one that exists is used. */
const FILES = ['AGENTS.md', 'CLAUDE.md'] as const;

/** Maximum number of characters of the rules in a prompt; the rest is left out, with a note. */
const LONGEST = 16_000;

/** Maximum size in bytes of a file with rules. */
const LARGEST = 1 << 20;

type Readers = Pick<Services, 'files' | 'outbound'>;

async function read({ files, outbound = null }: Readers, path: string): Promise<ProjectRules | null> {
  if (files === null || (await outbound?.mayLeave(path)) === false) return null;
  const found = await files.readBytes(path, LARGEST).catch(() => null);
  if (found?.kind !== 'there') return null;
  const whole = new TextDecoder().decode(found.bytes).trim();
  const left = whole.length - LONGEST;
  const text = left <= 0 ? whole : `${whole.slice(0, LONGEST)}\n[… ${left} characters are left out here …]`;
  return text === '' ? null : { path, text };
}

/**
 * Reads the project's own rules for the workers of a definition: the file that its `instructions` names, or else
 * `AGENTS.md` or `CLAUDE.md` in the run's directory. Returns null if there is none, or if `instructions` is false.
 * Throws `precondition_failed` if the named file can't be used.
 */
export async function readProjectRules(
  { name, settings }: WorkerDefinition,
  services: Readers,
): Promise<ProjectRules | null> {
  const { instructions = true } = settings;
  if (instructions === false || instructions === 'FALSE') return null;
  if (typeof instructions === 'string' && instructions !== 'TRUE') {
    const rules = await read(services, instructions);
    if (rules !== null) return rules;
    throw new RoboSmithError(
      'precondition_failed',
      `${name}: "instructions" names ${instructions}, which is not a file with text that may leave this machine (at most ${LARGEST} bytes). Correct the path, or remove "instructions"`,
    );
  }
  for (const path of FILES) {
    const rules = await read(services, path);
    if (rules !== null) return rules;
  }
  return null;
}
