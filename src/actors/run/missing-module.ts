interface Ecosystem {
  /**
   * Match the output of a program whose dependencies are not installed. The capture group is the name of the missing
   * module.
   */
  readonly patterns: readonly RegExp[];
  /** An example of a `worktree` section that installs the dependencies. */
  readonly setting: string;
}

const ECOSYSTEMS: readonly Ecosystem[] = [
  {
    // A missing module with a relative path is a mistake in the code, not a missing dependency, so these patterns
    // exclude it.
    patterns: [
      /Cannot find (?:module|package) '([^'./\\][^']{0,200})'/,
      /Cannot find module '[^']{0,500}node_modules[/\\]([^']{1,200})'/,
      /Could not resolve "([^"./\\][^"]{0,200})"/,
      /^(?:sh: (?:line )?1: |sh: |bash: (?:line 1: )?)([\w@./-]{1,100}): (?:command )?not found$/m,
    ],
    setting: '{ "setup": [["npm", "ci"]] }',
  },
  {
    patterns: [/ModuleNotFoundError: No module named '([^']{1,200})'/, /No module named '?([\w.]{1,200})'?$/m],
    setting: '{ "setup": [["uv", "sync", "--frozen"]] }',
  },
  { patterns: [/(vendor\/autoload\.php)/], setting: '{ "setup": [["composer", "install"]] }' },
  {
    patterns: [
      /Could not find gem '([^' ]{1,200})/,
      /Could not find ([\w-]{1,100})-[\d.]{1,20} in/,
      /(Bundler::GemNotFound)/,
    ],
    setting: '{ "setup": [["bundle", "install"]] }',
  },
];

/**
 * Returns a hint if the output of a block in a session's worktree shows that a dependency is not installed there; null
 * if it does not.
 */
export function missingModuleHint(output: string): string | null {
  for (const { patterns, setting } of ECOSYSTEMS) {
    const name = patterns.map((one) => one.exec(output)?.[1]).find((found) => found !== undefined);
    if (name !== undefined)
      return `"${name}" is not installed in the worktree of this session: git checks out no ignored folders. Bring the dependencies with the manifest's "worktree" section, for example "worktree": ${setting}; \`robosmith doctor\` proposes the setting for this project.`;
  }
  return null;
}
