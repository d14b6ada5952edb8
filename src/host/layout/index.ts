/** Layouts, computed in a thread and kept on disk. */
export { openLayouts } from './open-layouts.ts';
