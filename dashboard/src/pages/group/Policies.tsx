import { Address } from '../../components/Address.tsx';
import { Amount, Value, type ValuedMoney } from '../../components/Amount.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { type Rule, ruleWords } from '../../format/tally.ts';
import { duration } from '../../format/times.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';

interface Policy {
  readonly address: string;
  readonly metadata: string;
  readonly decisionPolicy: Rule;
  readonly account: { readonly balances: { readonly nodes: readonly ValuedMoney[] } | null };
}

/** The policies of a group: their rules and what their accounts hold. */
export function Policies({ of }: { readonly of: readonly Policy[] }) {
  if (of.length === 0)
    return (
      <Card title={governanceTexts.value.group.policies}>
        <Empty>{governanceTexts.value.group.noPolicy}</Empty>
      </Card>
    );
  return (
    <div class="grid two">
      {of.map(({ address, metadata, decisionPolicy, account }) => (
        <Card
          key={address}
          title={metadata || texts.value.proposal.unnamedPolicy}
          aside={<a href={urlOf(`/policies/${address}`)}>{governanceTexts.value.group.board}</a>}
        >
          <Facts
            of={[
              [governanceTexts.value.group.passesWith, ruleWords(decisionPolicy)],
              [
                governanceTexts.value.group.voting,
                decisionPolicy.windows ? duration(decisionPolicy.windows.votingPeriod) : null,
              ],
              [texts.value.words.account, <Address of={address} />],
            ]}
          />
          <ul class="balance-list">
            {(account.balances?.nodes ?? []).map((coin) => (
              <li key={coin.denom}>
                <Amount of={coin} />
                <Value of={coin.value} />
              </li>
            ))}
            {account.balances?.nodes.length === 0 ? <li class="muted">{governanceTexts.value.group.holdsNothing}</li> : null}
          </ul>
        </Card>
      ))}
    </div>
  );
}
