/** The members of a value of unknown type. Empty for a primitive value, null and undefined. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object(value) : {};
}
