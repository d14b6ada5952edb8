/** Raised when the same text would be extracted differently: cached results of older versions are not used. */
export const EXTRACTOR_VERSION = 1;
