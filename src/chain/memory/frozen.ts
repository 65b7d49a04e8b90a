/**
 * Freezes a value and everything in it, and returns it. Bytes cannot be frozen: no code may write to those of a shared value.
 */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}
