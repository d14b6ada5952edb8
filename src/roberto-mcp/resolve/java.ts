import { folderOf, type ProjectFiles, type ResolveImport } from './project-files.ts';

const endsWithFolder = (folder: string, suffix: string): boolean => folder === suffix || folder.endsWith(`/${suffix}`);

/**
 * Resolves Java and Kotlin imports by their package folders. Imports of members and inner classes resolve to the file
 * of the class.
 */
export function resolveJava(files: ProjectFiles, extensions: readonly string[]): ResolveImport {
  const classFile = (path: string): readonly string[] => {
    const slash = path.lastIndexOf('/');
    const [folder, name] = [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)];
    return extensions
      .flatMap((extension) => files.named(`${name}.${extension}`))
      .filter((file) => folder === '' || endsWithFolder(folderOf(file), folder));
  };
  return (_, module) => {
    const path = module.replaceAll('.', '/');
    if (path.endsWith('/*')) {
      const suffix = path.slice(0, -2);
      const inner = classFile(suffix);
      if (inner.length > 0) return inner;
      const last = suffix.slice(suffix.lastIndexOf('/') + 1);
      return files
        .foldersNamed(last)
        .filter((folder) => endsWithFolder(folder, suffix))
        .flatMap((folder) => files.inFolder(folder))
        .filter((file) => extensions.some((extension) => file.endsWith(`.${extension}`)));
    }
    for (let rest = path; rest.includes('/'); rest = folderOf(rest)) {
      const found = classFile(rest);
      if (found.length > 0) return found;
    }
    return [];
  };
}
