import type { HostToView } from '#protocol/generated/view.gen.ts';
import type { Methods } from '../methods/methods.ts';
import { countOf, optionalText, paramsOf } from '../methods/read-params.ts';
import { createSubscriptions } from '../methods/subscriptions.ts';
import type { AttendedView, ViewHub } from './view-hub.ts';

/** The maximum number of views per connection. */
const MOST_VIEWS = 64;

/** Returns the methods for views, which are identified by number. Messages follow `schemas/view.schema.json`. */
export function viewMethods(hub: ViewHub): Methods<'view.open' | 'view.send' | 'view.close'> {
  const views = createSubscriptions<AttendedView>(MOST_VIEWS);
  return {
    'view.open': (params, caller) => {
      const open = optionalText(paramsOf(params), 'open', 64);
      const view = views.add(caller, (number) =>
        hub.attend(open, (message: HostToView) => {
          caller.notify('view', { view: number, message }).catch(() => undefined);
        }),
      );
      return { view };
    },
    'view.send': (params, caller) => {
      const given = paramsOf(params);
      views.find(caller, countOf(given, 'view'))?.hear(given['message']);
      return {};
    },
    'view.close': (params, caller) => {
      views.end(caller, countOf(paramsOf(params), 'view'));
      return {};
    },
  };
}
