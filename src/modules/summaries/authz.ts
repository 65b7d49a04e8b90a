import { andThen } from '../../reads/pin.ts';
import {
  coinFrom,
  enumText,
  join,
  type MessageReader,
  NoSummaryError,
  type Summarizers,
  type SummaryContext,
  timeText,
} from './phrases.ts';

const nameOf = (type: string): string => type.slice(type.lastIndexOf('/') + 1);

/** What a StakeAuthorization is for. */
const stakeActions: Readonly<Record<string, string>> = {
  delegate: 'delegations',
  undelegate: 'undelegations',
  redelegate: 'redelegations',
  'cancel unbonding delegation': 'cancellations of undelegations',
};

/** The limits of an authorization, as in "transfers of up to 5 HASH", by its full name. */
export const authorizationSummaries: Summarizers = {
  'cosmos.authz.v1beta1.GenericAuthorization': (message) => `messages of type ${nameOf(message.word('msg'))}`,
  async 'cosmos.bank.v1beta1.SendAuthorization'(message, { coins }) {
    const receivers = message.wordList('allowList');
    const limit = await coins(message.parts('spendLimit').map(coinFrom));
    return `transfers of up to ${limit}${receivers.length === 0 ? '' : ` to ${join(receivers)}`}`;
  },
  async 'cosmos.staking.v1beta1.StakeAuthorization'(message, { coins }) {
    const action = stakeActions[enumText(message.word('authorizationType'), 'AUTHORIZATION_TYPE_')];
    if (action === undefined) throw new NoSummaryError('an unknown action of staking');
    const limit = message.optionalPart('maxTokens');
    const [allowed, denied] = ['allowList', 'denyList'].map((name) => message.optionalPart(name)?.wordList('address') ?? []);
    const of = limit === undefined ? '' : ` of up to ${await coins([coinFrom(limit)])}`;
    const only = allowed === undefined || allowed.length === 0 ? '' : ` with ${join(allowed)}`;
    return `${action}${of}${only}${denied === undefined || denied.length === 0 ? '' : ` except with ${join(denied)}`}`;
  },
};

/** An authorization in words; its type, if there are none for it. */
async function authorizationText(authorization: MessageReader, context: SummaryContext): Promise<string> {
  const type = nameOf(authorization.word('@type'));
  return (await authorizationSummaries[type]?.(authorization, context)) ?? `what an authorization of type ${type} allows`;
}

/** Summaries of the messages of `cosmos.authz.v1beta1`. */
export const authzSummaries: Summarizers = {
  async MsgGrant(message, context) {
    const grant = message.part('grant');
    const expiration = grant.optionalWord('expiration');
    const until = expiration === undefined ? '' : ` until ${timeText(expiration)}`;
    return `${message.word('granter')} allows ${message.word('grantee')} to send in its name ${await authorizationText(grant.part('authorization'), context)}${until}`;
  },
  MsgExec: (message, { messages }) =>
    andThen(
      messages(message.parts('msgs')),
      (nested) => `${message.word('grantee')} sends messages in the name of others${nested}`,
    ),
  MsgRevoke: (message) =>
    `${message.word('granter')} revokes what allowed ${message.word('grantee')} to send messages of type ${nameOf(message.word('msgTypeUrl'))}`,
};
