/** The folder of the built-in workflows that tasks have run, in the project. A run stores it with its manifest. */
export const DO_FOLDER = '.flow/do';

/** Returns whether a run or session with this manifest works on a task of `robosmith do`. */
export const isOfDo = (manifest: string | null): boolean =>
  manifest !== null && new RegExp(`(?:^|[/\\\\])\\.flow[/\\\\]do[/\\\\][0-9a-f]+\\.jsonc$`).test(manifest);
