/** Live actors of hosts and programs, passed on to pages. */
export { followInspection } from './follow-inspection.ts';
export { createInspectionRelay, type InspectionRelay } from './inspection-relay.ts';
