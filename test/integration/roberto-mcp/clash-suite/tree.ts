/** The files of a project: text by path. */
export type Tree = ReadonlyMap<string, string>;

/** Replaces a text wherever it occurs. It must occur at least once. */
export type Edit = readonly [from: string, to: string];

export const textIn = (tree: Tree, path: string): string => {
  const text = tree.get(path);
  if (text === undefined) throw new Error(`there is no file ${path}`);
  return text;
};

export const withFile = (tree: Tree, path: string, text: string): Tree => new Map([...tree, [path, text]]);

export function withoutFile(tree: Tree, path: string): Tree {
  const rest = new Map(tree);
  rest.delete(path);
  return rest;
}

export function replaceEvery(tree: Tree, [from, to]: Edit): Tree {
  const changed = [...tree].map(([path, text]): readonly [string, string] => [path, text.replaceAll(from, () => to)]);
  if (changed.every(([path, text]) => tree.get(path) === text)) throw new Error(`nothing contains ${from}`);
  return new Map(changed);
}

export const applyEdits = (tree: Tree, edits: readonly Edit[]): Tree => edits.reduce(replaceEvery, tree);

/** Replaces a text in one file. */
export function replaceIn(tree: Tree, path: string, [from, to]: Edit): Tree {
  const text = textIn(tree, path);
  if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`);
  return withFile(
    tree,
    path,
    text.replace(from, () => to),
  );
}

export const appendTo = (tree: Tree, path: string, text: string): Tree =>
  withFile(tree, path, `${textIn(tree, path)}${text}`);

export const insertAfter = (tree: Tree, path: string, anchor: string, text: string): Tree =>
  replaceIn(tree, path, [anchor, anchor + text]);

const wordPattern = (name: string): RegExp => new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'gu');

/** Renames a word in all files, as an editor renames a symbol whose name is unique. */
export const renameWord = (tree: Tree, name: string, to: string): Tree =>
  new Map([...tree].map(([path, text]) => [path, text.replace(wordPattern(name), () => to)]));

export const countWord = (tree: Tree, name: string): number =>
  [...tree.values()].reduce((sum, text) => sum + (text.match(wordPattern(name))?.length ?? 0), 0);
