import { readFileSync } from 'node:fs';
import {
  createProjects,
  type ManifestProject,
  type Position,
  type ProjectFacts,
  type Schema,
} from '#language/index.ts';

export const schema = JSON.parse(
  readFileSync(new URL('../../../schemas/workflow.schema.json', import.meta.url), 'utf8'),
) as Schema;

export const MAIN = '.vision/workflows.json';
export const SHARED = '.vision/shared.json';

/** A manifest without findings. Each text that a test case replaces occurs in it exactly once. */
const MAIN_TEXT = `{
  // The manifest of the tests.
  // It has two lines of comment.
  "version": 1,
  "entry": "Build",
  "imports": ["./shared.json"],
  "worktree": { "copy": [".env"], "resolver": "Node:Fix" },
  "pools": { "main": { "keys": ["first"], "budget": { "run": { "usd": 1 } } } },
  "workers": {
    "Worker:Coder": { "kind": "ai", "provider": "anthropic", "model": "m", "pool": "main", "persona": "Careful" },
    "Worker:Shell": { "kind": "command", "command": ["make"], "signals": { "3": "SIGNAL:RETRY_LATER" } },
    "Worker:Script": { "kind": "scripted", "answers": "./answers.json", "output_type": "NOTES" }
  },
  "nodes": {
    "Build": {
      "entry_block": "Write",
      "static_memory": { "rules": "small steps" },
      "blocks": {
        "Write": {
          "worker": "Worker:Coder",
          "contract": "Write the code.",
          "artifact": ["src/**/*.ts"],
          "payload_merge_strategy": ["TYPE:NOTES", "MERGE:STATIC_MEMORY:rules", "BLOCK:Test", "EXPORT:plan"],
          "transitions": [
            { "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Test" },
            { "on_signal": "SIGNAL:ASK", "condition": { "id": "visits.less_than", "args": [3] }, "action": "CALL:Review:Write" },
            { "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "HALT_AND_FLAG" }
          ]
        },
        "Test": {
          "worker": "Worker:Shell",
          "access": { "mode": "partial", "paths": ["test/**"] },
          "recovery": { "*": [{ "policy": "repair", "worker": "Worker:Script" }] },
          "transitions": [
            { "on_signal": "SIGNAL:SUCCESS", "action": "FORK:Review,Node:Fix:Done" },
            { "on_signal": "SIGNAL:RETRY_LATER", "action": "JUMP:Block:Build__Write" },
            { "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "JUMP:Review__Read" }
          ]
        },
        "Done": {
          "worker": "Internal:GitCommit",
          "onSuccess": { "type": "execute_node", "node": "Fix" },
          "onFailure": { "type": "jump", "block": "Write" }
        }
      }
    },
    "Fix": {
      "extend": "Base",
      "blocks": {
        "Prepare": { "worker": "Worker:Coder", "transitions": [{ "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "JUMP:Finish" }] }
      }
    }
  }
}
`;

const SHARED_TEXT = `{
  "version": 1,
  "context_slices": { "outline": { "queries": [{ "tool": "get_file_outline" }] } },
  "nodes": {
    "Base": {
      "entry_block": "Prepare",
      "blocks": {
        "Prepare": { "worker": "Worker:Coder", "transitions": [{ "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "JUMP:Finish" }] },
        "Finish": { "worker": "Internal:ManualIntervention" }
      }
    },
    "Review": {
      "entry_block": "Read",
      "static_memory": { "tone": "kind" },
      "blocks": {
        "Read": {
          "worker": "Worker:Script",
          "transitions": [{ "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "RETURN" }]
        }
      }
    }
  }
}
`;

export const FACTS: ProjectFacts = {
  registry: new Set(['Linter']),
  conditions: new Set(['tests.green']),
  files: ['src/login/form.ts', 'README.md'],
};

/** A change of one of the two files. `before` must occur exactly once; `after` may contain the cursor, `|`. */
export interface Change {
  readonly before: string;
  readonly after: string;
  readonly inShared?: boolean;
}

export interface Opened {
  readonly project: ManifestProject;
  readonly file: string;
  readonly position: Position;
  readonly texts: ReadonlyMap<string, string>;
}

const lineAndCharacter = (text: string, offset: number): Position => {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
};

/** Opens the manifest with a change and removes the cursor mark from the text. */
export function open({ before, after, inShared = false }: Change): Opened {
  const [file, text] = inShared ? [SHARED, SHARED_TEXT] : [MAIN, MAIN_TEXT];
  if (text.split(before).length !== 2) throw new Error(`${before} is there ${text.split(before).length - 1} times`);
  const changed = text.replace(before, () => after);
  const at = text.indexOf(before) + Math.max(0, after.indexOf('|'));
  const withoutCursor = after.includes('|') ? changed.slice(0, at) + changed.slice(at + 1) : changed;
  const texts = new Map([
    [MAIN, MAIN_TEXT],
    [SHARED, SHARED_TEXT],
  ]).set(file, withoutCursor);
  const sources = [...texts].map(([path, content]) => ({ path, text: content }));
  const project = createProjects()(sources, FACTS);
  return { project, file, texts, position: lineAndCharacter(withoutCursor, at) };
}

/** Returns the offset of a position in a text. */
export function offsetOf(text: string, { line, character }: Position): number {
  const before = text.split('\n').slice(0, line);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + character;
}
