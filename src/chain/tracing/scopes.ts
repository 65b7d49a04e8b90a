import type { Scope, Span } from './tracer.ts';

// All calls to nodes have the signal of the work that they are made for, so the signal also names the span of that work. AsyncLocalStorage would name it,
// too, but Node.js before 24 then calls a function for each promise of the process, also for those of requests that are not recorded.
const scopes = new WeakMap<AbortSignal, Scope>();

/** What calls with this signal belong to. undefined if they are not recorded. */
export function scopeOf(signal: AbortSignal | undefined): Scope | undefined {
  return signal && scopes.get(signal);
}

/** The span that a call with this signal begins below. undefined if it is not recorded. */
export function spanOf(signal: AbortSignal | undefined): Span | undefined {
  return scopeOf(signal)?.current();
}

/** Makes calls with this signal belong to a scope from now on. Without a scope, nothing changes. */
export function setScope(signal: AbortSignal, scope: Scope | undefined): void {
  if (scope !== undefined) scopes.set(signal, scope);
}
