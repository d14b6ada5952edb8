/** Explains to a model how to write files. The text must match what `read-files.ts` accepts. */
export const FILE_FORM = `Write each file in a fenced block of its own, with the path in its first line:

\`\`\`ts path=src/a.ts
export const a = 1;
\`\`\`

The rules:

- The path is relative to the project, with "/"; a path with blanks is in quotes: path="src/my file.ts".
- The block holds the complete new text of the file: every line, with no line numbers, and nothing left out.
- If the file itself has a line that begins with three or more backticks, its block begins and ends with more backticks than that.
- A block that is no file, such as a command or old code, has the word "example" instead of a path: \`\`\`sh example.
- Files can't be deleted, renamed or edited in part. All files of the answer are written, or none of them.`;
