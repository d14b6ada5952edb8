/** What a model proposes for a selection. */
export interface Proposal {
  /** What it says beside the code. */
  readonly explanation: string;
  /** The new text of the selection; null if it proposes no change. */
  readonly replacement: string | null;
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})[^`\n]*\n([\s\S]*?)\n?^[ \t]*\2[`~]*[ \t]*$/m;

/** Ends a replacement as the selection ends, so that no line is joined or added. */
function withEndOf(selection: string, text: string): string {
  const end = /\r?\n$/.exec(selection)?.[0] ?? '';
  const eol = selection.includes('\r\n') ? '\r\n' : '\n';
  return `${text.replaceAll(/\r?\n/g, eol).replace(/(?:\r?\n)+$/, '')}${end}`;
}

/** Reads the proposal out of an answer: the first fenced code block replaces the selection. */
export function readProposal(answer: string, selection: string): Proposal {
  const found = FENCE.exec(answer);
  if (found === null) return { explanation: answer.trim(), replacement: null };
  const explanation = `${answer.slice(0, found.index)}${answer.slice(found.index + found[0].length)}`.trim();
  const replacement = withEndOf(selection, found[3] ?? '');
  return { explanation, replacement: replacement === selection ? null : replacement };
}
