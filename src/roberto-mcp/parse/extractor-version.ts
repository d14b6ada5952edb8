/**
 * Version of the extractor. Increase it when equal text gives a different result, so that cached results are discarded.
 */
export const EXTRACTOR_VERSION = 1;
