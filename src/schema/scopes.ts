/** Extensions of a field that sends: it needs the scope `broadcast` in place of `read`, and is counted as a broadcast of its caller. */
export const broadcastField = { scope: 'broadcast' } as const;

/** Extensions of a field that tells the schema: it needs the scope `introspect` in place of `read`. */
export const introspectField = { scope: 'introspect' } as const;

/**
 * Extensions of a field, or of a type for all its fields, that says what was sent or what became of it. A token with `broadcast` alone may read it in the
 * answer to what sends; every other field there needs `read` too.
 */
export const ofSent = { ofSent: true } as const;
