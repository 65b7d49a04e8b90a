import { concat } from '../bytes.ts';
import { coin } from './bank.ts';
import { bytesOf, lengthPrefixed } from './keyParts.ts';
import { listAnswer, type Page, pageRequest, storePage, valuesOf } from './page.ts';
import { addressOf, notFound, type Plan, type PlanContext, plan, UnplannedRequest } from './plan.ts';
import { get, getRows, type Reading, type Row } from './reads.ts';
import { decDividedBy, oneDec } from './rules/dec.ts';
import { Message, messageField, messageFields } from './wire.ts';

// The store `staking` (SDK x/staking/types/keys.go): validators by operator; delegations and what unbonds of them by delegator, with indexes by validator.

const store = 'staking';
const validators = bytesOf(0x21);
const paramsKey = bytesOf(0x51);

/** The key of a validator. */
export const validatorKey = (operator: Uint8Array): Uint8Array => concat(validators, lengthPrefixed(operator));
/** The keys of the delegations of an account. The operator of a validator with its length follows. */
export const delegationsOf = (delegator: Uint8Array): Uint8Array => concat(bytesOf(0x31), lengthPrefixed(delegator));
/** The keys of the delegations to a validator. The delegator without its length follows. */
export const delegatorsOf = (operator: Uint8Array): Uint8Array => concat(bytesOf(0x71), lengthPrefixed(operator));
/** The keys of what unbonds of an account. The operator of a validator with its length follows. */
const unbondingsOf = (delegator: Uint8Array): Uint8Array => concat(bytesOf(0x32), lengthPrefixed(delegator));
/** The keys of what unbonds from a validator. The delegator with its length follows. */
const unbondersOf = (operator: Uint8Array): Uint8Array => concat(bytesOf(0x33), lengthPrefixed(operator));

const delegatorIn = (request: Message, { prefix }: PlanContext): Uint8Array => addressOf(request.text(1), prefix);
const operatorIn = (request: Message, field: number, { prefix }: PlanContext): Uint8Array =>
  addressOf(request.text(field), `${prefix}valoper`);

/** Delegations with what they are worth: shares x tokens / shares of the validator, rounded as the chain does, cut to whole coins. */
function* withBalances(delegations: readonly Uint8Array[], context: PlanContext): Reading<readonly Uint8Array[]> {
  if (delegations.length === 0) return [];
  const operators = delegations.map((delegation) => new Message(delegation).text(2));
  const names = [...new Set(operators)];
  const stored = yield* getRows(
    store,
    names.map((operator) => validatorKey(addressOf(operator, `${context.prefix}valoper`))),
  );
  const [params = bytesOf()] = yield* getRows(store, [paramsKey]);
  const denom = new Message(params).text(5);
  const byOperator = new Map(stored.map((validator, at) => [names[at], new Message(validator)]));
  return delegations.map((delegation, at) => {
    const validator = byOperator.get(operators[at]);
    const [shares, tokens, all] = [new Message(delegation).text(3), validator?.text(5) ?? '', validator?.text(6) ?? ''];
    const worth = decDividedBy(BigInt(shares) * BigInt(tokens), BigInt(all)) / oneDec;
    return concat(messageField(1, delegation), messageField(2, coin(denom, String(worth))));
  });
}

/** Reads a page of the rows with a prefix. */
const pageOf = (prefix: Uint8Array, request: Message): Reading<Page> => storePage(store, prefix, pageRequest(request, 2));

/** Names of the states of a validator, by number. */
const statuses = ['BOND_STATUS_UNSPECIFIED', 'BOND_STATUS_UNBONDED', 'BOND_STATUS_UNBONDING', 'BOND_STATUS_BONDED'];

const stakingPlan = (
  method: string,
  respond: (request: Message, context: PlanContext) => Reading<Uint8Array>,
  recomputed: readonly string[] = [],
): Plan => plan(`/cosmos.staking.v1beta1.Query/${method}`, respond, recomputed);

/** Reads a validator. Refuses if there is none. */
function* validatorOf(operator: Uint8Array, text: string): Reading<Uint8Array> {
  const validator = yield* get(store, validatorKey(operator));
  if (validator === null) throw notFound(`validator ${text} not found`);
  return validator;
}

/** Reads a row of a delegator and a validator. Refuses if there is none. */
function* pairRow(
  rows: (delegator: Uint8Array) => Uint8Array,
  name: string,
  request: Message,
  context: PlanContext,
): Reading<Uint8Array> {
  const key = concat(rows(delegatorIn(request, context)), lengthPrefixed(operatorIn(request, 2, context)));
  const value = yield* get(store, key);
  if (value === null) throw notFound(`${name} with delegator ${request.text(1)} not found for validator ${request.text(2)}`);
  return value;
}

/** The plans of validators, delegations, and what unbonds. */
export const stakingPlans: readonly Plan[] = [
  stakingPlan('Validators', function* (request) {
    const status = request.text(1);
    const number = BigInt(statuses.indexOf(status));
    if (status !== '' && number < 1n) throw new UnplannedRequest('the status is not valid');
    const hasStatus = ([, value]: Row) => new Message(value).uint(4) === number;
    const page = yield* storePage(store, validators, pageRequest(request, 2), status === '' ? undefined : hasStatus);
    return listAnswer(valuesOf(page.rows), page);
  }),
  stakingPlan('Validator', function* (request, context) {
    return messageField(1, yield* validatorOf(operatorIn(request, 1, context), request.text(1)));
  }),
  stakingPlan(
    'Delegation',
    function* (request, context) {
      const delegation = yield* pairRow(delegationsOf, 'delegation', request, context);
      return messageFields(1, yield* withBalances([delegation], context));
    },
    ['delegation_response.balance'],
  ),
  stakingPlan(
    'DelegatorDelegations',
    function* (request, context) {
      const page = yield* pageOf(delegationsOf(delegatorIn(request, context)), request);
      return listAnswer(yield* withBalances(valuesOf(page.rows), context), page);
    },
    ['delegation_responses.balance'],
  ),
  stakingPlan(
    'ValidatorDelegations',
    function* (request, context) {
      const operator = operatorIn(request, 1, context);
      const page = yield* pageOf(delegatorsOf(operator), request);
      const keys = page.rows.map(([delegator]) => concat(delegationsOf(delegator), lengthPrefixed(operator)));
      return listAnswer(yield* withBalances(yield* getRows(store, keys), context), page);
    },
    ['delegation_responses.balance'],
  ),
  stakingPlan('DelegatorValidators', function* (request, context) {
    const page = yield* pageOf(delegationsOf(delegatorIn(request, context)), request);
    const keys = page.rows.map(([operator]) => concat(validators, operator));
    return listAnswer(yield* getRows(store, keys), page);
  }),
  stakingPlan('UnbondingDelegation', function* (request, context) {
    return messageField(1, yield* pairRow(unbondingsOf, 'unbonding delegation', request, context));
  }),
  stakingPlan('DelegatorUnbondingDelegations', function* (request, context) {
    const page = yield* pageOf(unbondingsOf(delegatorIn(request, context)), request);
    return listAnswer(valuesOf(page.rows), page);
  }),
  stakingPlan('ValidatorUnbondingDelegations', function* (request, context) {
    const operator = operatorIn(request, 1, context);
    const page = yield* pageOf(unbondersOf(operator), request);
    const keys = page.rows.map(([delegator]) => concat(bytesOf(0x32), delegator, lengthPrefixed(operator)));
    return listAnswer(yield* getRows(store, keys), page);
  }),
  stakingPlan('Params', function* () {
    const [params = bytesOf()] = yield* getRows(store, [paramsKey]);
    return messageField(1, params);
  }),
];
