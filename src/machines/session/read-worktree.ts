import type { JsonObject, JsonValue } from '#protocol/json.ts';

type Argv = readonly [string, ...string[]];

/** The manifest's `worktree` section, with its defaults. */
export interface WorktreeSettings {
  readonly base: string | null;
  readonly isolation: 'worktree' | 'none';
  readonly guard: 'warn' | 'halt';
  readonly setup: readonly Argv[];
  readonly teardown: readonly Argv[];
  readonly copy: readonly string[];
  readonly link: readonly string[];
  readonly share: readonly string[];
  readonly sparse: readonly string[];
  readonly ports: number;
}

const texts = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((one: JsonValue): one is string => typeof one === 'string') : [];

const commands = (value: JsonValue | undefined): readonly Argv[] =>
  (Array.isArray(value) ? value : []).flatMap((one: JsonValue) => {
    const [program, ...args] = texts(one);
    return program === undefined ? [] : [[program, ...args] as const];
  });

/** Reads the `worktree` section of a checked graph. The section is `{}` if there is no manifest. */
export const readWorktree = ({ base, isolation, guard, ports, ...lists }: JsonObject): WorktreeSettings => ({
  base: typeof base === 'string' ? base : null,
  isolation: isolation === 'none' ? 'none' : 'worktree',
  guard: guard === 'halt' ? 'halt' : 'warn',
  setup: commands(lists['setup']),
  teardown: commands(lists['teardown']),
  copy: texts(lists['copy']),
  link: texts(lists['link']),
  share: texts(lists['share']),
  sparse: texts(lists['sparse']),
  ports: typeof ports === 'number' ? ports : 0,
});
