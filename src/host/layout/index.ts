/** Layouts, computed in a thread and kept on disk. */
export { layoutFolder, type Layouts, openLayouts } from './open-layouts.ts';
