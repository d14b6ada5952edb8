/**
 * A whole number from 0.
 *
 * @asType integer
 * @minimum 0
 */
export type Count = number;

/**
 * A whole number from 1.
 *
 * @asType integer
 * @minimum 1
 */
export type Ordinal = number;

/**
 * A whole number of either sign.
 *
 * @asType integer
 */
export type Integer = number;

/**
 * Milliseconds: a time since the epoch, or a duration.
 *
 * @minimum 0
 */
export type Milliseconds = number;
