/** A `<name …>` or a `</name>` in a line. */
interface TagMark {
  readonly isOpening: boolean;
  /** Nothing but blanks comes after it. */
  readonly isLast: boolean;
}

/** The places of a text in a line, from left to right. */
function placesOf(line: string, text: string): readonly number[] {
  const found: number[] = [];
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + text.length)) found.push(at);
  return found;
}

/** Openings that are complete on their line; `<name/>` is none, nor is `<names>`. */
function openings(line: string, name: string): readonly number[] {
  let end = -1;
  return placesOf(line, `<${name}`).filter((at) => {
    const after = line.charAt(at + name.length + 1);
    if (after !== '>' && after.trim() !== '') return false;
    if (end < at && end !== Infinity) {
      const found = line.indexOf('>', at);
      end = found < 0 ? Infinity : found;
    }
    return end !== Infinity && line.charAt(end - 1) !== '/';
  });
}

function marksIn(line: string, name: string): readonly TagMark[] {
  const close = `</${name}>`;
  if (!line.includes(close) && !line.includes(`<${name}`)) return [];
  const last = line.trimEnd().length - close.length;
  return [
    ...openings(line, name).map((at) => ({ at, isOpening: true, isLast: false })),
    ...placesOf(line, close).map((at) => ({ at, isOpening: false, isLast: at === last })),
  ].sort((one, other) => one.at - other.at);
}

export type TagEnd = { readonly at: number } | { readonly open: 'never_closed' | 'ambiguous' };

/** The line from here that ends with the end of an open tag: tags of the same name inside of it have their own ends. `rest`: what follows the opening on its line. */
export function endOfTag(lines: readonly string[], from: number, rest: string, name: string): TagEnd {
  let depth = 1;
  let isMixed = false;
  for (let at = from; at < lines.length; at += 1)
    for (const { isOpening, isLast } of marksIn(at === from ? rest : (lines[at] ?? ''), name)) {
      if (isOpening) depth += 1;
      else if (depth > 1) depth -= 1;
      else if (isLast) return { at };
      isMixed = true;
    }
  return { open: isMixed ? 'ambiguous' : 'never_closed' };
}

export interface StrayEnds {
  /** A block of this tag has ended: a further end of it has no beginning. */
  read(name: string): void;
  /** The name of the tag that this line, which is in no block, closes once too often; null: none. */
  find(line: string): string | null;
}

/** Sees when a block has ended too early: its true end is still to come. */
export function strayEnds(): StrayEnds {
  const depths = new Map<string, number>();
  return {
    read: (name) => depths.set(name, 0),
    find: (line) => {
      if (depths.size === 0 || !line.includes('<')) return null;
      const bare = new Set<string>();
      for (const [, slash, name = '', after] of line.matchAll(/<(\/?)([\w:-]+)([\s>])/g)) {
        const depth = depths.get(name);
        if (depth === undefined) continue;
        if (slash === '/' && depth === 0) return name;
        depths.set(name, slash === '/' ? depth - 1 : depth + 1);
        if (slash === '' && after === '>') bare.add(name);
      }
      // With attributes it may be one that holds no file, and have several lines.
      for (const name of bare) depths.set(name, 0);
      return null;
    },
  };
}
