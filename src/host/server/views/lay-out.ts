import { openLayouts } from '../../layout/index.ts';
import type { LayOut } from './layouts.ts';

export interface ViewLayouts {
  readonly layOut: LayOut;
  close(): Promise<void>;
}

/** Lays out graphs for views, in a thread that is started when the first one asks. */
export function openViewLayouts(): ViewLayouts {
  let opened: ReturnType<typeof openLayouts> | null = null;
  return {
    layOut: (graph) => (opened ??= openLayouts()).layoutOf(graph),
    close: async () => opened?.close(),
  };
}
