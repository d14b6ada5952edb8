/** A fenced block of a Markdown page. */
export interface Fence {
  /** The first word after the fence, for example `sh`; empty if there is none. */
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The file that the sentence before the block names, as in "Save it as `agent.mjs`:", or null. */
  readonly file: string | null;
  /** The picture that follows the block directly, or null. */
  readonly picture: string | null;
}

const OPENING = /^(`{3,}|~{3,})\s*([\w-]*)/;
const NAMED = /`([^`\s]+)`:$/;
const PICTURE = /^!\[[^\]]*\]\(([^)]+)\)$/;

/** Returns the fenced blocks of a page in order. Fences inside of lists and quotes are not recognised. */
export function fencesOf(page: string): readonly Fence[] {
  const lines = page.split('\n');
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, fence, language = ''] = OPENING.exec(lines[at] ?? '') ?? [];
    if (fence === undefined) continue;
    const from = at + 1;
    const end = lines.findIndex((line, index) => index >= from && line.trimEnd() === fence);
    const until = end === -1 ? lines.length : end;
    const before = lines.slice(0, at).findLast((line) => line.trim() !== '') ?? '';
    const after = lines.slice(until + 1).find((line) => line.trim() !== '') ?? '';
    const text = lines.slice(from, until).map((line) => `${line}\n`);
    fences.push({
      language,
      text: text.join(''),
      line: from,
      file: NAMED.exec(before)?.[1] ?? null,
      picture: PICTURE.exec(after)?.[1] ?? null,
    });
    at = until;
  }
  return fences;
}
