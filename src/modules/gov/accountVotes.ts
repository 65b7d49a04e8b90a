import type { Builder } from '../../schema/builder.ts';
import { pageField } from '../../schema/connection.ts';

import { type Account, AccountRef } from '../account/schema.ts';
import { createGovLoaders, govVotesOf } from './query.ts';
import { GovVoteConnectionRef } from './schema.ts';

/** Adds the votes of accounts on proposals of the governance module. */
export function addGovAccountVotes(builder: Builder): void {
  builder.objectFields(AccountRef, (t) => ({
    govVotes: t.field({
      type: GovVoteConnectionRef,
      description:
        'Its votes on proposals of the governance module that are not decided, by ascending id. The chain deletes the votes on the others.',
      ...pageField(builder, (pin, { address }: Account) => govVotesOf(pin.loaders(createGovLoaders), address)),
    }),
  }));
}
