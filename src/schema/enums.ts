/** What an enum of the graph is made of: each name, with its description where it has one. */
export type EnumValues<N extends string> = Readonly<Record<N, { readonly description?: string }>>;

/** The values of an enum whose names are the chain's own. */
export function enumValues<N extends string>(
  names: readonly N[],
  descriptions?: Readonly<Partial<Record<N, string>>>,
): EnumValues<N> {
  const entries = names.map((name) => {
    const description = descriptions?.[name];
    return [name, description === undefined ? {} : { description }];
  });
  // Object.fromEntries forgets that every name is there.
  return Object.fromEntries(entries) as EnumValues<N>;
}
