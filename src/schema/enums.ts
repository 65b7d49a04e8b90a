/** The values of an enum: each name with its optional description. */
export type EnumValues<N extends string> = Readonly<Record<N, { readonly description?: string }>>;

/** Makes the values of an enum from the names that the chain uses. */
export function enumValues<N extends string>(
  names: readonly N[],
  descriptions?: Readonly<Partial<Record<N, string>>>,
): EnumValues<N> {
  const entries = names.map((name) => {
    const description = descriptions?.[name];
    return [name, description === undefined ? {} : { description }];
  });
  // Object.fromEntries loses the names in its type.
  return Object.fromEntries(entries) as EnumValues<N>;
}
