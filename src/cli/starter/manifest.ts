/**
 * The default test command. It runs the test that the scripted answers write, so that the starter works in a project
 * without tests.
 */
const SAMPLE_TEST = ['node', '--test'];

const SAMPLE_TEST_NOTE = `
  // No test command was found. This one runs the test that the scripted answers write: replace it with yours.`;

/** The content of a `worktree` section. */
export type WorktreeSection = Readonly<Record<string, unknown>>;

/**
 * Returns the starter manifest, which is small, commented, and ready to be simulated and run. `schema` is the path at
 * which editors find the schema.
 */
export const starterManifest = (
  commands: Readonly<Record<string, readonly string[]>>,
  schema: string | null = null,
  worktree: WorktreeSection | null = null,
): string => `{${schema === null ? '' : `\n  "$schema": ${JSON.stringify(schema)},\n`}
  // A workflow is made of nodes, a node of blocks. A block asks a worker to do something, and the
  // signal that comes back says which way to go: nothing happens that is not a row of this file.
  "version": 1,
  "entry": "Feature_Implement",

  // The project's own commands: \`robosmith doctor\` says which were found.${'test' in commands ? '' : SAMPLE_TEST_NOTE}
  "commands": ${commandsText({ test: SAMPLE_TEST, ...commands })},
${worktreeText(worktree)}
  // What happens with a signal that a block has no row for: a person is asked.
  "default_transitions": { "FAIL_DEFAULT": "person" },

  "workers": {
    // Answers from a file, to try things out without a key. For a model, write instead:
    //   { "kind": "ai", "provider": "anthropic", "model": "…", "persona": "You are a careful engineer." }
    "Coder": { "kind": "scripted", "answers": "./answers.json" }
  },

  "nodes": {
    "Feature_Implement": {
      "static_memory": { "rules": "Small steps. Every change has a test." },
      "blocks": {
        "WriteCode": {
          "worker": "Coder",
          "contract": "Write whole files, each in a fence with its path, like \`\`\`ts path=src/a.ts. Put no other code into fences. End with SIGNAL:SUCCESS.",
          "on": { "SUCCESS": "SaveFiles" }
        },
        "SaveFiles": {
          "worker": "FileSystemWriter",
          "access": { "mode": "shared" },
          // Existing files may be replaced, but never by less than half of them. In a session they are those of
          // its own branch; with \`run --in .\` they are yours: commit first, or take \`rewrite\` away.
          "params": { "rewrite": true },
          "on": { "SUCCESS": "RunTests" }
        },
        "RunTests": {
          "worker": "TestRunner",
          "on": {
            "SUCCESS": "done",
            // The log of the failed tests is in the payload: the next worker reads it.
            "FAILURE": { "call": "Troubleshoot", "to": "SaveFiles", "at_most": 2 }
          }
        }
      }
    },

    "Troubleshoot": {
      "blocks": {
        "FixCode": {
          "worker": "Coder",
          "contract": "Read the TEST_RESULT, find the cause, write the corrected files. End with SIGNAL:SUCCESS.",
          "on": { "SUCCESS": "done" }
        }
      }
    }
  }
}
`;

/** Returns the text of the `worktree` section with its comment; empty if no section is needed. */
export function worktreeText(worktree: WorktreeSection | null): string {
  if (worktree === null) return '';
  const lines = Object.entries(worktree).map(([key, value]) => `    ${JSON.stringify(key)}: ${spaced(value)}`);
  return `
  // Sessions work in worktrees of their own, which have no files that git ignores, such as dependencies.
  "worktree": {
${lines.join(',\n')}
  },
`;
}

/** Returns a list as JSON with spaces between its items. */
const spaced = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(spaced).join(', ')}]` : JSON.stringify(value);

/** Returns the detected commands as the value of `commands`. */
export function commandsText(commands: Readonly<Record<string, readonly string[]>>): string {
  const lines = Object.entries(commands).map(
    ([name, argv]) => `    ${JSON.stringify(name)}: [${argv.map((word) => JSON.stringify(word)).join(', ')}]`,
  );
  if (lines.length === 0) return '{\n    // "test": ["npm", "test"]\n  }';
  return `{\n${lines.join(',\n')}\n  }`;
}
