/** The version of this engine, equal to that of the package. Journals state the version that wrote them. */
export const ENGINE_VERSION = '0.1.0';
