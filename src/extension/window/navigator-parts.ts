import type { HostLink } from '#host/client/index.ts';
import type { Views } from './views.ts';
import type { WindowState } from './window-state.ts';
import type { Workspace } from './workspace.ts';

/** What the commands need that go to sessions and start them. */
export interface NavigatorParts {
  readonly workspace: Workspace;
  readonly state: WindowState;
  readonly link: HostLink;
  readonly views: Views;
}
