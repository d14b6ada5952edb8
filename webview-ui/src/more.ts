/*
 * The components that a view does not need at first. They form a separate script, which is loaded when one of them is
 * first shown, or once the page is idle.
 */
export { default as GraphTable } from './graph/GraphTable.svelte';
export { default as Minimap } from './graph/Minimap.svelte';
export { default as BlockTab } from './block-panel/BlockTab.svelte';
export { default as ChatTab } from './block-panel/ChatTab.svelte';
export { default as ContextTab } from './block-panel/ContextTab.svelte';
export { default as HaltPanel } from './block-panel/HaltPanel.svelte';
export { default as RunOverview } from './block-panel/RunOverview.svelte';
export { default as Integration } from './integration/Integration.svelte';
export { default as DiffDialog } from './parts/DiffDialog.svelte';
export { default as Inbox } from './parts/Inbox.svelte';
export { default as NewWorkflow } from './parts/NewWorkflow.svelte';
export { default as PastLine } from './parts/PastLine.svelte';
export { default as Picker } from './parts/Picker.svelte';
