/** What a proposal would do when it is executed. Amounts are whole hash (10^9 nhash). */
export type Business =
  | { readonly kind: 'pay'; readonly hash: number }
  /** The same sum to two. */
  | { readonly kind: 'split'; readonly hash: number }
  /** More than there is: passes, and then fails. */
  | { readonly kind: 'overdraw' }
  /** Changes the group's metadata. */
  | { readonly kind: 'metadata' }
  /** Changes a member's weight. */
  | { readonly kind: 'weight' };

/** Something to decide. */
export interface Item {
  readonly title: string;
  readonly summary: string;
  readonly business: Business;
}

const pay = (hash: number): Business => ({ kind: 'pay', hash });
const split = (hash: number): Business => ({ kind: 'split', hash });
const overdraw: Business = { kind: 'overdraw' };
const metadata: Business = { kind: 'metadata' };
const weight: Business = { kind: 'weight' };

function item(title: string, business: Business, summary: string): Item {
  return { title, summary, business };
}

/** What each body decides about, in turn. */
export const agendas = {
  board: [
    item(
      'Ratify the validator service agreement',
      pay(120),
      'Twelve months with two operators in different regions, 99.9 % uptime, cancellable by the quarter.',
    ),
    item(
      'Annual security audit of the settlement contracts',
      pay(480),
      'Three auditors have quoted; this takes the middle offer, with a re-test of all findings included.',
    ),
    item(
      'Open a legal entity in Luxembourg',
      pay(350),
      'Needed before institutional issuers can sign with us. Covers formation and the first year of administration.',
    ),
    item('Renew directors and officers insurance', pay(95), 'Same cover as last year at a premium four per cent lower.'),
    item(
      'Budget for the spring members meeting',
      pay(60),
      'Two days, remote first, with a stream and a written record of every vote.',
    ),
    item(
      'Market making mandate for the hash pair',
      split(400),
      'Two firms share the mandate; spreads are reported monthly and the mandate ends by itself after six months.',
    ),
    item(
      'Fund the loan origination pilot',
      pay(500),
      'Ten lenders, 2,000 loans recorded on chain, results published. Stage two needs a vote of its own.',
    ),
    item(
      'Adopt the conflict of interest policy',
      pay(1),
      'Members declare holdings above one per cent and abstain where they apply. The payment covers registration of the text.',
    ),
    item(
      'Buy the regional data centre outright',
      overdraw,
      'Own the building instead of renting racks. Far above what the account holds today.',
    ),
    item(
      'Appoint an independent treasurer',
      pay(150),
      'A part-time treasurer who reports to the assembly and countersigns payments above 100 hash.',
    ),
    item(
      'Translate the handbook into Spanish and Portuguese',
      split(24),
      'A third of our newcomers ask for it. Two translators, each reviewing the other.',
    ),
    item('Sponsor the open ledger conference', pay(75), 'Silver tier, one talk, four passes for contributors who apply.'),
    item('Extend the bug bounty to the wallet', pay(250), 'Raises the top reward and brings the browser wallet into scope.'),
    item(
      'Retire the legacy bridge',
      pay(40),
      'Traffic is below ten transfers a week. Announce, drain, and pay for the final monitoring month.',
    ),
    item('Commission a fee study', pay(85), 'How flat fees changed usage since the switch, with the data set published.'),
    item('Set up a scholarship for protocol engineers', split(90), 'Four places a year, chosen by a panel outside the board.'),
    item('Replace the incident pager', pay(12), 'The present one missed two alerts in May.'),
    item('Second seat on the interchain council', pay(30), 'Travel and time for a second delegate until the end of the year.'),
    item('Archive node for researchers', pay(110), 'Full history, rate limited, free of charge for universities.'),
    item('Publish quarterly accounts on chain', pay(18), 'The accountant signs a digest of each report; anybody can check it.'),
  ],
  charter: [
    item(
      'Amend article 4: quorum for elections',
      metadata,
      'Elections count abstentions towards the quorum from the next term on.',
    ),
    item('Raise the weight of long-standing delegates', weight, 'Five years of service count for half a vote more.'),
    item('Record the new statement of purpose', metadata, 'The text agreed in the workshop of the assembly, word for word.'),
    item('Limit terms to three years', metadata, 'Two consecutive terms at most. Present members finish theirs.'),
    item('Lower the weight of the founding member', weight, 'As promised when the assembly was founded.'),
    item('Amend article 9: emergency meetings', metadata, 'Seven members instead of ten can call one.'),
  ],
  treasury: [
    item('Pay the infrastructure invoices', split(45), 'Racks, bandwidth and monitoring, both vendors as invoiced.'),
    item('Reimburse travel of the auditors', pay(8), 'Receipts are with the treasurer.'),
    item('Move a tranche to the operating account', pay(150), 'Keeps ninety days of costs at hand.'),
    item('Settle the translation work', pay(14), 'Delivered and reviewed.'),
    item('Acquire the competing exchange', overdraw, 'An opportunity that will not come twice, says the proposer.'),
    item('Top up the relayer wallets', split(6), 'Both relayers run low within a week.'),
    item('Quarterly contributor payments', split(80), 'As per the published list; amounts in the annex.'),
    item('Refund a mistaken deposit', pay(3), 'Sent to the treasury instead of the faucet; sender verified.'),
  ],
  grants: [
    item('Grant: explorer for asset scopes', pay(35), 'A small team shows provenance of an asset on one page. Two milestones.'),
    item('Grant: open source ledger app', pay(28), 'Firmware is done; this pays the review.'),
    item('Grant: teaching material for notaries', split(9), 'A course in two parts, free to copy.'),
    item('Weigh the newest committee member fully', weight, 'The trial period is over.'),
    item('Grant: stateless light client', pay(42), 'Verifies headers in a browser.'),
    item('Grant: build a city', overdraw, 'Ambitious.'),
    item('Committee notes for the season', metadata, 'Links the minutes of the last three calls.'),
    item('Grant: accessibility review of the wallet', pay(16), 'Screen readers first.'),
  ],
  operations: [
    item('Rotate the sentry nodes', pay(4), 'Two at a time, over the weekend.'),
    item('Standby engineer for the upgrade', pay(6), 'Eight hours around the upgrade height.'),
    item('Buy the spare parts for the rack', pay(5), 'Disks and one power supply.'),
    item('Rent a second uplink', pay(7), 'A different carrier through a different wall.'),
    item('Restore test of the archive', pay(2), 'Nobody has done it since winter.'),
    item('Replace every machine at once', overdraw, 'A clean start.'),
  ],
} as const satisfies Record<string, readonly Item[]>;

/** Who decides. */
export type BodyName = keyof typeof agendas;

/** The `index`-th thing that a body decides about, from 0. After the last it starts again, with the round in the title. */
export function agendaItem(body: BodyName, index: number): Item {
  const list: readonly Item[] = agendas[body];
  const found = list[index % list.length];
  if (found === undefined) throw new Error(`no agenda of ${body}`);
  const round = Math.floor(index / list.length) + 1;
  return round === 1 ? found : { ...found, title: `${found.title}, round ${round}` };
}
