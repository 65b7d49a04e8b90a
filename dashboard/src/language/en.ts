/** The texts of the pages in English. Every other language has the same keys. */
export const en = {
  /** The header, the footer, and the bar of the block. */
  shell: {
    skip: 'Skip to the content',
    sections: 'Sections',
    home: 'Home',
    groups: 'Groups',
    proposals: 'Proposals',
    tokens: 'Tokens',
    blocks: 'Blocks',
    validators: 'Validators',
    explore: 'Explore',
    status: 'Status',
    language: 'Language',
    darkTheme: 'Use the dark theme',
    lightTheme: 'Use the light theme',
    searchPlaceholder: 'Search words, addresses, hashes',
    nothingFound: 'Nothing was found.',
    suggestions: 'Suggestions',
    shownBlock: 'Shown block',
    block: 'Block',
    atBlock: 'At block',
    backToNow: 'Back to now',
    timeMachine: 'Time machine',
    about: (chain: string | undefined): string =>
      `Stele, a GraphQL, REST and RPC API${chain === undefined ? '' : ` over ${chain}`}`,
    logIn: 'Log in',
    playground: 'GraphQL playground',
    reference: 'REST and RPC reference',
    collection: 'Request collection',
  },
  /** Times and numbers. */
  format: {
    now: 'now',
    ago: (span: string): string => `${span} ago`,
    ahead: (span: string): string => `in ${span}`,
    days: 'd',
    hours: 'h',
    minutes: 'min',
    seconds: 's',
    none: 'none',
    timeUnknown: 'time not known',
    notKnown: 'not known',
  },
  /** Tables, lists and charts. */
  parts: {
    scrollHint: 'There is more to the right: scroll sideways',
    firstPage: 'First page',
    nextPage: 'Next page',
    pages: 'Pages',
    unread: 'This could not be read.',
    asTable: 'The values as a table',
    time: 'Time',
  },
  /** Nouns behind numbers, by the plural rule of the language. */
  counts: {
    votes: { one: 'vote', other: 'votes' },
    members: { one: 'member', other: 'members' },
    blocks: { one: 'block', other: 'blocks' },
    limits: { one: 'limit', other: 'limits' },
    proposals: { one: 'proposal', other: 'proposals' },
  },
};

/** The texts of a language. A text that is missing in one is a type error. */
export type Catalogue = typeof en;
