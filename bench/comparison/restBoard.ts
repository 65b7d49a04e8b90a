import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';

function member(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let found = value;
  for (const name of path)
    found = typeof found === 'object' && found !== null && !Array.isArray(found) ? found[name] : undefined;
  return found;
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Renames the fields of an object, of which it may have any. */
function renamed(value: JsonValue | undefined, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, from]) => {
      const found = member(value, from);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

/** Converts the names of fields to camelCase. */
function camelCase(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(camelCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      camelCase(each ?? null),
    ]),
  );
}

function proposal(value: JsonValue): JsonObject {
  const tally = member(value, 'tally');
  const policy = member(value, 'groupPolicy', 'info');
  const group = member(policy, 'group', 'info');
  const members = list(member(group, 'members', 'members')).map((each) => member(each, 'member'));
  const address = (each: JsonValue | undefined): JsonObject => (each === undefined ? {} : { address: each });
  const counts = {
    yesCount: 'yes_count',
    noCount: 'no_count',
    abstainCount: 'abstain_count',
    noWithVetoCount: 'no_with_veto_count',
  };
  return {
    ...renamed(value, {
      id: 'id',
      title: 'title',
      status: 'status',
      executorResult: 'executor_result',
      votingPeriodEnd: 'voting_period_end',
    }),
    proposers: list(member(value, 'proposers')).map(address),
    // The chain has no tally of a proposal that was closed early: the gateway returns null, and an error.
    tally: tally === null ? null : renamed(member(tally, 'tally'), counts),
    votes: {
      nodes: list(member(value, 'votes', 'votes')).map((vote) => ({
        ...renamed(vote, { option: 'option', submitTime: 'submit_time' }),
        voter: address(member(vote, 'voter')),
      })),
    },
    groupPolicy: {
      ...renamed(policy, { address: 'address' }),
      group: {
        ...renamed(group, { id: 'id', totalWeight: 'total_weight' }),
        members: {
          nodes: members.map((each) => ({ ...renamed(each, { weight: 'weight' }), account: address(member(each, 'address')) })),
        },
      },
    },
    messages: list(member(value, 'messages')).map((message) => ({
      ...renamed(message, { type: '@type' }),
      json: camelCase(message),
    })),
  };
}

/**
 * Converts the board that a gateway over REST returns to the shape of Stele's: other names and nesting, and the newest proposal
 * first. `offset` is the number of proposals before those of the answer. Fields that the answer does not have stay absent.
 */
export function boardOfRest(answer: JsonValue, offset: number): JsonObject {
  const page = member(answer, 'proposalsByGroupPolicy');
  return {
    ...renamed(member(page, 'pagination'), { totalCount: 'total' }),
    pageInfo: { hasNextPage: offset > 0 },
    nodes: list(member(page, 'proposals')).map(proposal).toReversed(),
  };
}
