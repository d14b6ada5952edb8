/** The change that a model proposes for a selection. */
interface Proposal {
  /** The model's text outside the code block. */
  readonly explanation: string;
  /** The new text of the selection, or null if the model proposes no change. */
  readonly replacement: string | null;
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})[^`\n]*\n([\s\S]*?)\n?^[ \t]*\2[`~]*[ \t]*$/m;

/**
 * Gives a replacement the line endings of the selection and the same final line break, so that no line is joined or
 * added.
 */
function withEndOf(selection: string, text: string): string {
  const end = /\r?\n$/.exec(selection)?.[0] ?? '';
  const eol = selection.includes('\r\n') ? '\r\n' : '\n';
  return `${text.replaceAll(/\r?\n/g, eol).replace(/(?:\r?\n)+$/, '')}${end}`;
}

/** Extracts the proposal from a model's answer: the first fenced code block replaces the selection. */
export function readProposal(answer: string, selection: string): Proposal {
  const found = FENCE.exec(answer);
  if (found === null) return { explanation: answer.trim(), replacement: null };
  const explanation = `${answer.slice(0, found.index)}${answer.slice(found.index + found[0].length)}`.trim();
  const replacement = withEndOf(selection, found[3] ?? '');
  return { explanation, replacement: replacement === selection ? null : replacement };
}
