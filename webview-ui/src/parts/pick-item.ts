import type { IconName } from '../look/icons.ts';

/** An item of a searchable list. */
export interface PickItem {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly icon: IconName;
  readonly tone: string;
}
