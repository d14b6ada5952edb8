import { watchProject } from '#engine/index.ts';
import { watch } from 'node:fs';
import path from 'node:path';
import type { OneView } from './one-view.ts';
import type { LiveRun } from './live-runs.ts';

/** Watches the project's state and its manifest. Returns a function that stops it. */
function watchAll(root: string, onState: () => void, onManifest: () => void): () => void {
  const unwatch = watchProject(root, onState);
  try {
    const watcher = watch(path.join(root, '.vision'), { persistent: false }, onManifest);
    watcher.on('error', () => watcher.close());
    return () => {
      unwatch();
      watcher.close();
    };
  } catch {
    return unwatch;
  }
}

/** The views of a project that are open. The project is watched only while there is one. */
export function createOpenViews(root: string, onState: () => void, onManifest: () => void) {
  const views = new Set<OneView>();
  let unwatch: (() => void) | null = null;
  const each = (work: (view: OneView) => void): void => {
    for (const view of [...views]) work(view);
  };
  return {
    each,
    /** Calls a function with each view that shows a run. */
    showing: (live: LiveRun, work: (view: OneView) => void): void =>
      each((view) => {
        if (view.live()?.run === live.run) work(view);
      }),
    /** Adds the view that `attend` returns. The project is watched before, so that no change is missed. */
    add: (attend: () => OneView): OneView => {
      unwatch ??= watchAll(root, onState, onManifest);
      const view = attend();
      views.add(view);
      return view;
    },
    remove: (view: OneView): void => {
      view.end();
      views.delete(view);
      if (views.size > 0) return;
      unwatch?.();
      unwatch = null;
    },
  };
}
