import { openLayouts } from '../../layout/index.ts';
import type { LayOut } from './layouts.ts';

export interface ViewLayouts {
  readonly layOut: LayOut;
  close(): Promise<void>;
}

/** Lays out graphs for views, in a thread that starts with the first request. */
export function openViewLayouts(): ViewLayouts {
  let opened: ReturnType<typeof openLayouts> | null = null;
  return {
    layOut: (graph) => (opened ??= openLayouts()).layoutOf(graph),
    close: async () => opened?.close(),
  };
}
