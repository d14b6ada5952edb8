/** The live actors of an engine, in the wire format of the Stately inspector. */
export { createInspector, type Inspector, type StandIn } from './inspector.ts';
