/** An opening `<name …>` or closing `</name>` tag within a line. */
interface TagMark {
  readonly isOpening: boolean;
  /** True if only blanks follow the tag on its line. */
  readonly isLast: boolean;
}

/** Returns the offsets of all occurrences of a text in a line. */
function placesOf(line: string, text: string): readonly number[] {
  const found: number[] = [];
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + text.length)) found.push(at);
  return found;
}

/** Returns the offsets of opening tags that are complete on their line. `<name/>` and `<names>` do not count. */
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

type TagEnd = { readonly at: number } | { readonly open: 'never_closed' | 'ambiguous' };

/**
 * Returns the index of the line that ends with the end tag of an open tag. Nested tags of the same name are skipped.
 * `rest` is the text after the opening tag on its line.
 */
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

/** Tags of files that are no elements of HTML, so that prose does not contain their end tags. */
const OF_FILES = [
  'file',
  'codefile',
  'write_file',
  'create_file',
  'new_file',
  'source_file',
  'boltAction',
  'antArtifact',
];

interface StrayEnds {
  /** Records that a block with this tag has ended, so that another end tag outside all blocks counts as stray. */
  read(name: string): void;
  /** Returns the name of a recorded tag that a line outside all blocks closes without opening it, or null. */
  find(line: string): string | null;
}

/**
 * Creates a detector of end tags without a start. Such a tag shows that an earlier block with the same tag ended too
 * early, or began in a part of the answer that is not read, such as the model's thinking.
 */
export function strayEnds(): StrayEnds {
  const depths = new Map<string, number>(OF_FILES.map((name) => [name, 0]));
  return {
    read: (name) => depths.set(name, 0),
    find: (line) => {
      if (!line.includes('<')) return null;
      const bare = new Set<string>();
      for (const [, slash, name = '', after] of line.matchAll(/<(\/?)([\w:-]+)([\s>])/g)) {
        const depth = depths.get(name);
        if (depth === undefined) continue;
        if (slash === '/' && depth === 0) return name;
        depths.set(name, slash === '/' ? depth - 1 : depth + 1);
        if (slash === '' && after === '>') bare.add(name);
      }
      // A tag without attributes counts only if it is alone on its line. One with attributes may enclose several lines
      // that are not a file.
      for (const name of bare) depths.set(name, 0);
      return null;
    },
  };
}
