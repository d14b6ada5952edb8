/**
 * Explains to a model how to write edits. The text must match what `parse-operations.ts` accepts and what the Loom
 * does.
 */
export const EDIT_FORMAT = `Answer with a list of edit operations as JSON, in one block:

\`\`\`json
[{ "op": "replaceLine", "path": "src/a.ts", "line": 3, "content": "  return 2;", "expected": "  return 1;" }]
\`\`\`

The operations:

- { "op": "insert", "path", "anchor", "content", "position": "before" or "after" } puts the content before or after the anchor.
- { "op": "replaceBlock", "path", "start", "end", "content" } replaces what stands between the texts "start" and "end"; they stay.
- { "op": "replaceLine", "path", "line", "content", "expected" } replaces one line; "expected" is its text now. To take a line out, use replaceBlock.
- { "op": "append", "path", "content" } adds to the end of a file. It alone makes a file that is not there yet.

The rules:

- "path" is relative to the project, with "/".
- "anchor", "start" and "end" are copied from the file letter by letter, and occur exactly once: take enough of the lines around.
- Lines count from 1, in the file as it is now, before any of the operations. No two operations change the same place.
- All operations are made together, or none of them. What is there already is not made again.
- If nothing has to be changed, answer with [].
- A LOOM_ERROR says why nothing was written: answer with the whole list again, corrected.`;
