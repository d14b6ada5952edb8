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
- { "op": "replaceBlock", "path", "start", "end", "content" } replaces the text between the texts "start" and "end", which stay. An empty "start" is the beginning of the file, an empty "end" its end: so the first and the last lines can be replaced or removed.
- { "op": "replaceLine", "path", "line", "content", "expected" } replaces one line; "expected" is its text now. To remove a line, use replaceBlock with an empty "content".
- { "op": "append", "path", "content" } adds to the end of a file. It is the only operation that can create a new file.

The rules:

- "path" is relative to the project, with "/".
- "anchor", "start" and "end", where not empty, are copied exactly from the file, and occur exactly once in it: include enough of the surrounding lines.
- Lines count from 1, in the file as it is now, before any of the operations. No two operations may change the same place.
- All operations are made together, or none of them. Edits that are already in the file are not made again.
- If nothing has to be changed, answer with [].
- A LOOM_ERROR says why nothing was written: answer again with the whole list, corrected.`;
