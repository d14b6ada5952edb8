/** Builds the validators of manifests before the tests, in case a schema has changed since the last build. */
export { buildValidators as setup } from '../scripts/generate/validator.ts';
