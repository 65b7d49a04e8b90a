import type { ResponsePath } from 'graphql';
import { sharedOrigin } from '../../reads/pin.ts';
import type { Execution, Repeated, Sharing } from './execution.ts';
import type { Completed } from './json.ts';
import { runSelection, type Selection } from './selection.ts';

/** Creates the notes of an execution. */
export function createSharing(): Sharing {
  return { varied: 0, failures: 0, repeated: undefined };
}

/**
 * Executes the fields of an object, unless their JSON is known. A value of the state never changes. If the fields used nothing but the value and
 * constant arguments, their JSON is kept for all executions. If they also used the pin, the context or variables, it is equal in the same
 * execution, because a pin reads each value once.
 */
export function runShared(execution: Execution, selection: Selection, object: object, path: ResponsePath): Completed {
  const shared = sharedOrigin(object);
  if (shared === undefined) return runSelection(execution, selection, object, path);
  const { pin, origin } = shared;
  const kept = selection.kept.get(origin);
  if (kept !== undefined) return kept;
  const { sharing } = execution;
  const known = sharing.repeated?.get(selection)?.get(origin);
  if (known !== undefined && known.pin === pin) {
    // It was not kept, so it used more than the value.
    sharing.varied += 1;
    return known.json;
  }
  const { varied, failures } = sharing;
  const uses = pin?.uses();
  const json = runSelection(execution, selection, object, path);
  if (typeof json !== 'string' || sharing.failures !== failures) return json;
  if (sharing.varied === varied && pin?.uses() === uses) selection.kept.set(origin, json);
  else repeat(sharing, selection, origin, { pin, json });
  return json;
}

function repeat(sharing: Sharing, selection: Selection, origin: object, repeated: Repeated): void {
  sharing.repeated ??= new Map();
  const known = sharing.repeated.get(selection);
  if (known === undefined) sharing.repeated.set(selection, new Map([[origin, repeated]]));
  else known.set(origin, repeated);
}
