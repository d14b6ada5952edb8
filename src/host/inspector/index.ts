/** Forwards inspection events of hosts and programs to pages that show their live actors. */
export { followInspection } from './follow-inspection.ts';
export { createInspectionRelay, type InspectionRelay } from './inspection-relay.ts';
