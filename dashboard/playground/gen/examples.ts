// Printed from schema/operations.graphql by `npm run schema`.

/** An operation that the playground offers as an example. */
export interface PlaygroundExample {
  readonly name: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** What it is for, in a few words. */
  readonly title: string;
  /** The operation with its fragments. */
  readonly query: string;
  /** Values of the required variables. They exist on the embedded chain. Empty texts are for the reader to fill in. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The module that it is about, if not every chain has it. */
  readonly module?: string;
}

/** The operations that the playground offers as examples. */
export const playgroundExamples: readonly PlaygroundExample[] = [
  {
    "name": "AwaitingMyVote",
    "title": "How many proposals await my vote",
    "kind": "query",
    "query": "query AwaitingMyVote($me: String!) {\n  account(address: $me) {\n    groupProposals(awaitingVote: true, first: 1) {\n      totalCount\n    }\n  }\n}\n",
    "variables": {
      "me": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    },
    "module": "cosmos.group"
  },
  {
    "name": "Board",
    "title": "The proposals of a policy",
    "kind": "query",
    "query": "query Board($policy: String!) {\n  proposalsByGroupPolicy(address: $policy, first: 20, reverse: true) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      title\n      status\n      executorResult\n      votingPeriodEnd\n      proposers {\n        address\n      }\n      tally {\n        yesCount\n        noCount\n        abstainCount\n        noWithVetoCount\n      }\n      votes(first: 20) {\n        nodes {\n          option\n          submitTime\n          voter {\n            address\n          }\n        }\n      }\n      groupPolicy {\n        address\n        group {\n          id\n          totalWeight\n          members(first: 20) {\n            nodes {\n              weight\n              account {\n                address\n              }\n            }\n          }\n        }\n      }\n      messages {\n        type\n        value\n        json\n      }\n    }\n  }\n}\n",
    "variables": {
      "policy": "tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf"
    },
    "module": "cosmos.group"
  },
  {
    "name": "BoardAt",
    "title": "The proposals of a policy at an earlier block",
    "kind": "query",
    "query": "query BoardAt($height: Int64!, $policy: String!) {\n  at(height: $height) {\n    height\n    head {\n      height\n      asOfHeight\n      time\n    }\n    proposalsByGroupPolicy(address: $policy, first: 20, reverse: true) {\n      nodes {\n        id\n        asOfHeight\n        title\n        status\n        tally {\n          yesCount\n          noCount\n        }\n      }\n    }\n  }\n}\n",
    "variables": {
      "height": "2",
      "policy": "tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf"
    },
    "module": "cosmos.group"
  },
  {
    "name": "GroupPage",
    "title": "A group with its members and policies",
    "kind": "query",
    "query": "query GroupPage($id: ID!) {\n  group(id: $id) {\n    id\n    metadata\n    version\n    totalWeight\n    createdAt\n    admin {\n      address\n    }\n    members(first: 50) {\n      totalCount\n      nodes {\n        weight\n        weightPercent\n        metadata\n        addedAt\n        account {\n          address\n        }\n      }\n    }\n    policies(first: 10) {\n      nodes {\n        address\n        metadata\n        version\n        decisionPolicy {\n          ...Rule\n        }\n      }\n    }\n    proposals(\n      status: [PROPOSAL_STATUS_SUBMITTED, PROPOSAL_STATUS_ACCEPTED]\n      first: 10\n      reverse: true\n    ) {\n      totalCount\n      nodes {\n        id\n        title\n        status\n      }\n    }\n  }\n}\n\nfragment Rule on DecisionPolicy {\n  type\n  windows {\n    votingPeriod\n    minExecutionPeriod\n  }\n  ... on ThresholdDecisionPolicy {\n    threshold\n  }\n  ... on PercentageDecisionPolicy {\n    percentage\n  }\n}\n",
    "variables": {
      "id": "1"
    },
    "module": "cosmos.group"
  },
  {
    "name": "ByAccount",
    "title": "The groups and votes of an account",
    "kind": "query",
    "query": "query ByAccount($address: String!) {\n  groupsByMember(address: $address) {\n    nodes {\n      id\n    }\n  }\n  groupsByAdmin(admin: $address) {\n    nodes {\n      id\n    }\n  }\n  groupPoliciesByAdmin(admin: $address) {\n    nodes {\n      address\n    }\n  }\n  votesByVoter(voter: $address) {\n    nodes {\n      option\n      proposal {\n        id\n        title\n        status\n      }\n    }\n  }\n  account(address: $address) {\n    memberships(first: 10) {\n      nodes {\n        groupId\n        weight\n        metadata\n      }\n    }\n  }\n}\n",
    "variables": {
      "address": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    },
    "module": "cosmos.group"
  },
  {
    "name": "ByGroup",
    "title": "Groups, policies and votes by id",
    "kind": "query",
    "query": "query ByGroup($group: ID!, $policy: String!, $proposal: ID!, $voter: String!) {\n  groups(first: 20) {\n    nodes {\n      id\n      policies(first: 20) {\n        nodes {\n          address\n        }\n      }\n    }\n  }\n  groupMembers(groupId: $group) {\n    nodes {\n      groupId\n      weight\n    }\n  }\n  groupPoliciesByGroup(groupId: $group) {\n    nodes {\n      address\n      groupId\n    }\n  }\n  groupPolicy(address: $policy) {\n    address\n    admin {\n      address\n    }\n  }\n  tallyResult(proposalId: $proposal) {\n    yesCount\n    noCount\n    abstainCount\n    noWithVetoCount\n  }\n  voteByProposalVoter(proposalId: $proposal, voter: $voter) {\n    option\n  }\n  votesByProposal(proposalId: $proposal) {\n    edges {\n      cursor\n      node {\n        option\n        voter {\n          address\n        }\n      }\n    }\n  }\n}\n",
    "variables": {
      "group": "1",
      "policy": "tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf",
      "proposal": "38",
      "voter": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    },
    "module": "cosmos.group"
  },
  {
    "name": "SearchBlocks",
    "title": "Search blocks",
    "kind": "query",
    "query": "query SearchBlocks($query: String!) {\n  blockSearch(query: $query, first: 20) {\n    totalCount\n    nodes {\n      height\n      time\n    }\n  }\n}\n",
    "variables": {
      "query": "block.height > 0"
    }
  },
  {
    "name": "Check",
    "title": "Check a transaction",
    "kind": "query",
    "query": "query Check($tx: String!) {\n  checkTx(tx: $tx) {\n    code\n    codespace\n    log\n    info\n    data\n    gasWanted\n    gasUsed\n    events {\n      type\n    }\n  }\n}\n",
    "variables": {
      "tx": ""
    }
  },
  {
    "name": "TallyLive",
    "title": "Watch the tally of a proposal",
    "kind": "subscription",
    "query": "subscription TallyLive($id: ID!) {\n  tallyUpdated(proposalId: $id) {\n    height\n    time\n    final\n    tally {\n      yesCount\n      noCount\n      abstainCount\n      noWithVetoCount\n    }\n    outcome {\n      decision\n      yesNeeded\n      yesPercent\n      votedPercent\n    }\n    proposal {\n      status\n    }\n  }\n}\n",
    "variables": {
      "id": "38"
    },
    "module": "cosmos.group"
  },
  {
    "name": "TokenLive",
    "title": "Watch the price of a token",
    "kind": "subscription",
    "query": "subscription TokenLive($denom: String!, $after: Int64) {\n  events(\n    where: [{key: \"provenance.marker.v1.EventSetNetAssetValue.denom\", value: $denom}]\n    after: $after\n  ) {\n    height\n    time\n    events {\n      type\n      json\n    }\n    transaction {\n      hash\n    }\n  }\n}\n",
    "variables": {
      "denom": "nhash"
    },
    "module": "provenance.marker"
  },
  {
    "name": "WatchQuery",
    "title": "Watch events",
    "kind": "subscription",
    "query": "subscription WatchQuery($query: String!) {\n  events(query: $query) {\n    height\n    block {\n      hash\n    }\n    transaction {\n      hash\n      code\n    }\n    events {\n      type\n      attributes {\n        key\n        value\n      }\n    }\n  }\n}\n",
    "variables": {
      "query": "tm.event = 'Tx'"
    }
  },
  {
    "name": "Included",
    "title": "Watch for a transaction",
    "kind": "subscription",
    "query": "subscription Included($hash: Hex!) {\n  transactionResult(hash: $hash) {\n    hash\n    height\n    code\n    log\n    block {\n      height\n    }\n    signers {\n      address\n      balance(denom: \"nhash\") {\n        amount\n      }\n    }\n  }\n}\n",
    "variables": {
      "hash": ""
    }
  },
  {
    "name": "Search",
    "title": "Search by words",
    "kind": "query",
    "query": "query Search($text: String!, $kinds: [SearchKind!], $after: String) {\n  search(text: $text, kinds: $kinds, first: 10, after: $after) {\n    isComplete\n    note\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      __typename\n      ... on Account {\n        address\n      }\n      ... on NameRecord {\n        name\n        account {\n          address\n        }\n      }\n      ... on Validator {\n        address\n        moniker\n      }\n      ... on Coin {\n        denom\n        amount\n      }\n      ... on Group {\n        id\n        metadata\n      }\n      ... on GroupPolicy {\n        address\n        metadata\n      }\n      ... on GroupMember {\n        groupId\n        metadata\n        account {\n          address\n        }\n      }\n      ... on Proposal {\n        id\n        title\n        status\n      }\n      ... on GovProposal {\n        id\n        title\n        govStatus: status\n      }\n      ... on ProposalRecord {\n        id\n        title\n        recordStatus: status\n      }\n      ... on GovProposalRecord {\n        id\n        title\n        govRecordStatus: status\n      }\n    }\n  }\n}\n",
    "variables": {
      "text": "assembly"
    }
  },
  {
    "name": "Send",
    "title": "Send a transaction",
    "kind": "mutation",
    "query": "mutation Send($tx: String!) {\n  broadcastTxSync(tx: $tx) {\n    ...Sent\n  }\n}\n\nfragment Sent on BroadcastResult {\n  hash\n  status\n  duplicate\n  height\n  checkTx {\n    code\n    codespace\n    log\n    gasWanted\n    gasUsed\n  }\n  txResult {\n    code\n    codespace\n    log\n    gasUsed\n    events {\n      type\n    }\n  }\n  attempts {\n    node\n    height\n    outcome\n    error\n  }\n}\n",
    "variables": {
      "tx": ""
    }
  },
  {
    "name": "SendAndForget",
    "title": "Send a transaction without a check",
    "kind": "mutation",
    "query": "mutation SendAndForget($tx: String!) {\n  broadcastTxAsync(tx: $tx) {\n    ...Sent\n  }\n}\n\nfragment Sent on BroadcastResult {\n  hash\n  status\n  duplicate\n  height\n  checkTx {\n    code\n    codespace\n    log\n    gasWanted\n    gasUsed\n  }\n  txResult {\n    code\n    codespace\n    log\n    gasUsed\n    events {\n      type\n    }\n  }\n  attempts {\n    node\n    height\n    outcome\n    error\n  }\n}\n",
    "variables": {
      "tx": ""
    }
  },
  {
    "name": "SendAndWait",
    "title": "Send a transaction and wait for its block",
    "kind": "mutation",
    "query": "mutation SendAndWait($tx: String!) {\n  broadcastTxCommit(tx: $tx) {\n    ...Sent\n    transaction {\n      hash\n      block {\n        height\n        time\n      }\n      signers {\n        address\n        balance(denom: \"nhash\") {\n          amount\n        }\n      }\n    }\n  }\n}\n\nfragment Sent on BroadcastResult {\n  hash\n  status\n  duplicate\n  height\n  checkTx {\n    code\n    codespace\n    log\n    gasWanted\n    gasUsed\n  }\n  txResult {\n    code\n    codespace\n    log\n    gasUsed\n    events {\n      type\n    }\n  }\n  attempts {\n    node\n    height\n    outcome\n    error\n  }\n}\n",
    "variables": {
      "tx": ""
    }
  },
  {
    "name": "Evidence",
    "title": "Send evidence",
    "kind": "mutation",
    "query": "mutation Evidence($evidence: JSON!) {\n  broadcastEvidence(evidence: $evidence)\n}\n",
    "variables": {
      "evidence": {}
    }
  },
  {
    "name": "AccountPage",
    "title": "An account",
    "kind": "query",
    "query": "query AccountPage($address: String!) {\n  head {\n    height\n    time\n  }\n  account(address: $address) {\n    address\n    kind\n    moduleName\n    accountNumber\n    sequence\n    accountData\n    publicKey {\n      type\n      value\n    }\n    names(first: 10) {\n      nodes {\n        name\n        restricted\n      }\n    }\n    balances(first: 20) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        denom\n        amount\n        display {\n          amount\n          denom\n          symbol\n        }\n        value {\n          amount\n          denom\n          display {\n            amount\n            symbol\n          }\n          netAssetValue {\n            updatedBlockHeight\n          }\n        }\n        marker {\n          markerType\n          status\n        }\n        scope {\n          id\n        }\n      }\n    }\n    spendableBalances(first: 20) {\n      nodes {\n        denom\n        amount\n      }\n    }\n    holds {\n      denom\n      amount\n    }\n    attributes(first: 20) {\n      totalCount\n      nodes {\n        name\n        value\n        valueBase64\n        json\n        attributeType\n        expirationDate\n        concreteType\n      }\n    }\n    groupPolicy {\n      address\n      group {\n        id\n        metadata\n      }\n    }\n    marker {\n      denom\n    }\n  }\n}\n",
    "variables": {
      "address": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    }
  },
  {
    "name": "AccountHoldings",
    "title": "What an account holds",
    "kind": "query",
    "query": "query AccountHoldings($address: String!, $after: String) {\n  account(address: $address) {\n    scopes(first: 10) {\n      totalCount\n      nodes {\n        ...ScopeCard\n      }\n    }\n    valueOwnedScopes(first: 10, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        ...ScopeCard\n      }\n    }\n    feeGrantsReceived(first: 10) {\n      nodes {\n        granter {\n          address\n        }\n        allowance {\n          ...Terms\n        }\n      }\n    }\n    feeGrantsIssued(first: 10) {\n      nodes {\n        grantee {\n          address\n        }\n        allowance {\n          ...Terms\n        }\n      }\n    }\n  }\n}\n\nfragment ScopeCard on Scope {\n  id\n  uuid\n  specification {\n    id\n    name\n  }\n  owners {\n    role\n    optional\n    account {\n      address\n    }\n  }\n  dataAccess {\n    address\n  }\n  valueOwner {\n    address\n  }\n  netAssetValues {\n    price {\n      denom\n      amount\n      display {\n        amount\n        denom\n      }\n    }\n    updatedBlockHeight\n  }\n}\n\nfragment Terms on FeeAllowance {\n  type\n  ...Basic\n  ... on PeriodicAllowance {\n    basic {\n      ...Basic\n    }\n    period\n    periodSpendLimit {\n      denom\n      amount\n    }\n    periodCanSpend {\n      denom\n      amount\n    }\n    periodReset\n  }\n  ... on AllowedMsgAllowance {\n    allowedMessages\n    allowance {\n      type\n      ...Basic\n    }\n  }\n}\n\nfragment Basic on BasicAllowance {\n  spendLimit {\n    denom\n    amount\n    display {\n      amount\n      symbol\n    }\n  }\n  expiration\n}\n",
    "variables": {
      "address": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    }
  },
  {
    "name": "AttributeLookups",
    "title": "Attributes, and who has them",
    "kind": "query",
    "query": "query AttributeLookups($account: String!, $name: String!, $suffix: String!) {\n  attribute(account: $account, name: $name) {\n    nodes {\n      name\n      value\n      attributeType\n    }\n  }\n  attributes(account: $account) {\n    totalCount\n    nodes {\n      name\n    }\n  }\n  attributeScan(account: $account, suffix: $suffix, first: 100) {\n    nodes {\n      name\n      value\n      address\n    }\n  }\n  attributeAccounts(name: $name) {\n    nodes {\n      address\n    }\n  }\n  accountData(account: $account)\n  name(name: $name) {\n    name\n    account {\n      address\n    }\n    restricted\n  }\n  feeGrant(granter: $account, grantee: $account) {\n    allowance {\n      ...Terms\n    }\n  }\n}\n\nfragment Terms on FeeAllowance {\n  type\n  ...Basic\n  ... on PeriodicAllowance {\n    basic {\n      ...Basic\n    }\n    period\n    periodSpendLimit {\n      denom\n      amount\n    }\n    periodCanSpend {\n      denom\n      amount\n    }\n    periodReset\n  }\n  ... on AllowedMsgAllowance {\n    allowedMessages\n    allowance {\n      type\n      ...Basic\n    }\n  }\n}\n\nfragment Basic on BasicAllowance {\n  spendLimit {\n    denom\n    amount\n    display {\n      amount\n      symbol\n    }\n  }\n  expiration\n}\n",
    "variables": {
      "account": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk",
      "name": "kyc.pb",
      "suffix": "pb"
    },
    "module": "provenance.attribute"
  },
  {
    "name": "TokenPage",
    "title": "A token",
    "kind": "query",
    "query": "query TokenPage($denom: String!) {\n  head {\n    height\n    time\n  }\n  marker(denom: $denom) {\n    denom\n    markerType\n    status\n    supplyFixed\n    allowGovernanceControl\n    allowForcedTransfer\n    requiredAttributes\n    requireDepositAccess\n    account {\n      address\n      accountData\n    }\n    manager {\n      address\n    }\n    supply {\n      amount\n      display {\n        amount\n        symbol\n      }\n    }\n    circulation {\n      amount\n      display {\n        amount\n        symbol\n        exponent\n      }\n      value {\n        display {\n          amount\n          symbol\n        }\n      }\n    }\n    metadata {\n      name\n      symbol\n      description\n      display\n      base\n      uri\n      uriHash\n      denomUnits {\n        denom\n        exponent\n        aliases\n      }\n    }\n    accessControl {\n      permissions\n      account {\n        address\n      }\n    }\n    escrow {\n      denom\n      amount\n    }\n    netAssetValues {\n      ...Nav\n    }\n    holders(first: 20) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        supplyPercent\n        account {\n          address\n          kind\n        }\n        balance {\n          amount\n          display {\n            amount\n          }\n        }\n      }\n    }\n  }\n}\n\nfragment Nav on NetAssetValue {\n  price {\n    denom\n    amount\n    display {\n      amount\n      denom\n    }\n  }\n  volume\n  pricePerUnit\n  pricePerDisplayUnit {\n    amount\n    denom\n    symbol\n  }\n  updatedBlockHeight\n}\n",
    "variables": {
      "denom": "fundshare"
    },
    "module": "provenance.marker"
  },
  {
    "name": "BareDenom",
    "title": "A denom without a marker",
    "kind": "query",
    "query": "query BareDenom($denom: String!) {\n  supplyOf(denom: $denom) {\n    denom\n    amount\n    display {\n      amount\n      symbol\n    }\n    marker {\n      denom\n    }\n  }\n  denomMetadata(denom: $denom) {\n    name\n    symbol\n    display\n  }\n  holders(denom: $denom, first: 20) {\n    totalCount\n    nodes {\n      account {\n        address\n      }\n      balance {\n        amount\n      }\n      supplyPercent\n    }\n  }\n}\n",
    "variables": {
      "denom": "nhash"
    }
  },
  {
    "name": "Supply",
    "title": "The supply of every denom",
    "kind": "query",
    "query": "query Supply($after: String) {\n  totalSupply(first: 20, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      denom\n      amount\n      display {\n        amount\n        symbol\n      }\n      metadata {\n        name\n        description\n      }\n    }\n  }\n}\n",
    "variables": {}
  },
  {
    "name": "TokenAndScopeLists",
    "title": "Tokens and scopes",
    "kind": "query",
    "query": "query TokenAndScopeLists($after: String) {\n  markers(first: 20, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      denom\n      markerType\n      status\n      circulation {\n        amount\n        display {\n          amount\n          symbol\n        }\n      }\n      netAssetValues {\n        ...Nav\n      }\n    }\n  }\n  scopes(first: 20) {\n    totalCount\n    nodes {\n      id\n      specification {\n        name\n      }\n      valueOwner {\n        address\n      }\n    }\n  }\n}\n\nfragment Nav on NetAssetValue {\n  price {\n    denom\n    amount\n    display {\n      amount\n      denom\n    }\n  }\n  volume\n  pricePerUnit\n  pricePerDisplayUnit {\n    amount\n    denom\n    symbol\n  }\n  updatedBlockHeight\n}\n",
    "variables": {},
    "module": "provenance.marker"
  },
  {
    "name": "ExplorerHome",
    "title": "The newest blocks and transactions",
    "kind": "query",
    "query": "query ExplorerHome {\n  head {\n    height\n    time\n    hash\n    chainId\n    numTxs\n    proposer {\n      address\n      moniker\n    }\n  }\n  blocks(first: 20) {\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      height\n      hash\n      time\n      numTxs\n      blockSize\n      proposer {\n        address\n        moniker\n      }\n    }\n  }\n}\n",
    "variables": {}
  },
  {
    "name": "ExplorerLive",
    "title": "Watch blocks",
    "kind": "subscription",
    "query": "subscription ExplorerLive($after: Int64) {\n  newBlock(after: $after) {\n    height\n    hash\n    time\n    numTxs\n    proposer {\n      address\n      moniker\n    }\n    transactions(first: 20) {\n      nodes {\n        hash\n        code\n        messages {\n          type\n        }\n      }\n    }\n  }\n}\n",
    "variables": {}
  },
  {
    "name": "ValidatorsPage",
    "title": "Validators",
    "kind": "query",
    "query": "query ValidatorsPage($height: Int64, $after: String) {\n  validators(height: $height, first: 100, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      address\n      moniker\n      operatorAddress\n      votingPower\n      votingPowerPercent\n      proposerPriority\n      publicKey {\n        type\n        value\n      }\n    }\n  }\n  consensusParams(height: $height) {\n    block {\n      maxBytes\n      maxGas\n    }\n    evidence {\n      maxAgeNumBlocks\n      maxAgeDuration\n      maxBytes\n    }\n    validator {\n      pubKeyTypes\n    }\n    version {\n      app\n    }\n    abci {\n      voteExtensionsEnableHeight\n    }\n  }\n}\n",
    "variables": {}
  },
  {
    "name": "NodeRoutes",
    "title": "A block as the node has it",
    "kind": "query",
    "query": "query NodeRoutes($height: Int64!, $hash: Hex!, $address: String!) {\n  blockByHash(hash: $hash) {\n    height\n  }\n  header(height: $height) {\n    height\n    time\n  }\n  headerByHash(hash: $hash) {\n    height\n  }\n  commit(height: $height) {\n    canonical\n    header {\n      height\n    }\n    commit {\n      height\n      round\n      blockId {\n        hash\n      }\n      signatures {\n        blockIdFlag\n        validatorAddress\n        timestamp\n        signature\n      }\n    }\n  }\n  blockResults(height: $height) {\n    height\n    txsResults {\n      code\n      log\n      gasUsed\n      events(type: \"transfer\") {\n        type\n      }\n    }\n  }\n  validator(address: $address) {\n    moniker\n    votingPower\n  }\n  genesis(chunk: 0) {\n    chunk\n    total\n    data\n  }\n}\n",
    "variables": {
      "height": "2",
      "hash": "",
      "address": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    }
  },
  {
    "name": "BeforeSigning",
    "title": "What a signer needs",
    "kind": "query",
    "query": "query BeforeSigning($me: String!, $type: String!) {\n  head {\n    height\n    chainId\n  }\n  account(address: $me) {\n    accountNumber\n    sequence\n    spendableBalances(first: 20) {\n      nodes {\n        denom\n        amount\n        display {\n          amount\n          symbol\n        }\n      }\n    }\n    feeGrantsReceived(first: 5) {\n      nodes {\n        granter {\n          address\n        }\n        allowance {\n          type\n          json\n        }\n      }\n    }\n  }\n  messageFee(type: $type) {\n    type\n    cost {\n      denom\n      amount\n      display {\n        amount\n        symbol\n      }\n    }\n  }\n}\n",
    "variables": {
      "me": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk",
      "type": "/cosmos.bank.v1beta1.MsgSend"
    },
    "module": "provenance.flatfees"
  },
  {
    "name": "FeesOf",
    "title": "The fees of a transaction",
    "kind": "query",
    "query": "query FeesOf($tx: String!) {\n  calculateTxFees(tx: $tx, gasAdjustment: 1.2) {\n    estimatedGas\n    totalFees {\n      denom\n      amount\n    }\n  }\n}\n",
    "variables": {
      "tx": ""
    }
  },
  {
    "name": "Application",
    "title": "Any query of the chain",
    "kind": "query",
    "query": "query Application($method: String!, $request: JSON) {\n  abciInfo {\n    data\n    version\n    appVersion\n    lastBlockHeight\n    lastBlockAppHash\n  }\n  abciQuery(path: \"/store/group/key\", data: \"0x3000\", prove: true) {\n    code\n    codespace\n    log\n    info\n    height\n    index\n    key\n    value\n    proof\n    proofOps {\n      type\n      key\n      data\n    }\n  }\n  module(method: $method, request: $request)\n  modules(prefix: \"provenance.\") {\n    name\n    methods {\n      name\n      requestType\n      responseType\n      requestSchema\n      responseSchema\n    }\n  }\n  scopeSpecification(id: \"scopespec1qsg3zyg3yg3yxvuyg3242424242shk3a23\") {\n    name\n  }\n}\n",
    "variables": {
      "method": "/cosmos.bank.v1beta1.Query/Params"
    },
    "module": "provenance.metadata"
  },
  {
    "name": "TokenTransfers",
    "title": "Transfers of a token",
    "kind": "query",
    "query": "query TokenTransfers($denom: String!, $after: String) {\n  transfers(denom: $denom, first: 50, after: $after) {\n    completeFrom\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    edges {\n      cursor\n      node {\n        kind\n        height\n        sender {\n          address\n        }\n        recipient {\n          address\n        }\n        amount {\n          denom\n          amount\n        }\n        transaction {\n          hash\n          time\n        }\n      }\n    }\n  }\n}\n",
    "variables": {
      "denom": "nhash"
    }
  },
  {
    "name": "WatchTransfers",
    "title": "Watch transfers",
    "kind": "subscription",
    "query": "subscription WatchTransfers($address: String!, $after: Int64) {\n  transactions(\n    where: [{key: \"transfer.recipient\", op: EQUAL, value: $address}]\n    after: $after\n  ) {\n    hash\n    height\n    transfers {\n      kind\n      sender {\n        address\n      }\n      amount {\n        denom\n        amount\n      }\n    }\n    block {\n      height\n    }\n  }\n}\n",
    "variables": {
      "address": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    }
  },
  {
    "name": "SendAndWatch",
    "title": "Send a transaction and watch it",
    "kind": "subscription",
    "query": "subscription SendAndWatch($tx: String!) {\n  submitTx(tx: $tx) {\n    hash\n    stage\n    height\n    final\n    attempt {\n      node\n      height\n      outcome\n      error\n    }\n    checkTx {\n      code\n      codespace\n      log\n    }\n    transaction {\n      code\n      codespace\n      log\n      gasUsed\n      block {\n        height\n        time\n      }\n      transfers {\n        kind\n        amount {\n          denom\n          amount\n        }\n      }\n    }\n  }\n}\n",
    "variables": {
      "tx": ""
    }
  },
  {
    "name": "ScopePage",
    "title": "A scope",
    "kind": "query",
    "query": "query ScopePage($id: ID!) {\n  scope(id: $id) {\n    ...ScopeCard\n    requirePartyRollup\n    specification {\n      uuid\n      description\n      websiteUrl\n      iconUrl\n      partiesInvolved\n      contractSpecIds\n      owners {\n        address\n      }\n    }\n    netAssetValueHistory(first: 50) {\n      nodes {\n        price {\n          amount\n          denom\n        }\n        volume\n        source\n        updatedBlock {\n          height\n          time\n        }\n        transaction {\n          hash\n        }\n      }\n    }\n    attributes(first: 20) {\n      nodes {\n        name\n        value\n      }\n    }\n    sessions(first: 20) {\n      totalCount\n      nodes {\n        id\n        name\n        created\n        createdBy {\n          address\n        }\n        parties {\n          role\n          account {\n            address\n          }\n        }\n      }\n    }\n    records(first: 50) {\n      totalCount\n      nodes {\n        id\n        name\n        session {\n          id\n          name\n        }\n        specification {\n          typeName\n        }\n        process {\n          name\n          method\n          account {\n            address\n          }\n        }\n        inputs {\n          name\n          hash\n          record {\n            id\n            name\n          }\n        }\n        outputs {\n          hash\n          status\n        }\n      }\n    }\n  }\n}\n\nfragment ScopeCard on Scope {\n  id\n  uuid\n  specification {\n    id\n    name\n  }\n  owners {\n    role\n    optional\n    account {\n      address\n    }\n  }\n  dataAccess {\n    address\n  }\n  valueOwner {\n    address\n  }\n  netAssetValues {\n    price {\n      denom\n      amount\n      display {\n        amount\n        denom\n      }\n    }\n    updatedBlockHeight\n  }\n}\n",
    "variables": {
      "id": ""
    },
    "module": "provenance.metadata"
  },
  {
    "name": "PriceChart",
    "title": "The price of a token over time",
    "kind": "query",
    "query": "query PriceChart($denom: String!, $after: String) {\n  marker(denom: $denom) {\n    netAssetValueHistory(priceDenom: \"usd\", first: 100, after: $after) {\n      completeFrom\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        ...Nav\n        source\n        updatedBlock {\n          time\n        }\n        transaction {\n          hash\n        }\n      }\n    }\n  }\n}\n\nfragment Nav on NetAssetValue {\n  price {\n    denom\n    amount\n    display {\n      amount\n      denom\n    }\n  }\n  volume\n  pricePerUnit\n  pricePerDisplayUnit {\n    amount\n    denom\n    symbol\n  }\n  updatedBlockHeight\n}\n",
    "variables": {
      "denom": "fundshare"
    },
    "module": "provenance.marker"
  },
  {
    "name": "MyOpenProposals",
    "title": "Open proposals of my groups",
    "kind": "query",
    "query": "query MyOpenProposals($me: String!, $after: String) {\n  head {\n    height\n    time\n    chainId\n  }\n  account(address: $me) {\n    groupProposals(\n      status: [PROPOSAL_STATUS_SUBMITTED]\n      first: 10\n      after: $after\n      reverse: true\n    ) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        ...ProposalCard\n        groupPolicy {\n          address\n          metadata\n          group {\n            id\n            metadata\n          }\n          decisionPolicy {\n            ...Rule\n          }\n        }\n        myVote: vote(voter: $me) {\n          option\n          submitTime\n        }\n        pendingVoters(first: 10) {\n          totalCount\n          nodes {\n            weight\n            weightPercent\n            account {\n              address\n            }\n          }\n        }\n      }\n    }\n  }\n}\n\nfragment ProposalCard on Proposal {\n  id\n  title\n  summary\n  status\n  executorResult\n  submitTime\n  votingPeriodEnd\n  votingTimeLeft\n  executableFrom\n  proposers {\n    address\n  }\n  messages {\n    type\n    inWords\n  }\n  tally {\n    yesCount\n    noCount\n    abstainCount\n    noWithVetoCount\n  }\n  outcome {\n    decision\n    yesNeeded\n    yesPercent\n    votedPercent\n    undecidedWeight\n    totalWeight\n  }\n}\n\nfragment Rule on DecisionPolicy {\n  type\n  windows {\n    votingPeriod\n    minExecutionPeriod\n  }\n  ... on ThresholdDecisionPolicy {\n    threshold\n  }\n  ... on PercentageDecisionPolicy {\n    percentage\n  }\n}\n",
    "variables": {
      "me": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    }
  },
  {
    "name": "ProposalPage",
    "title": "A proposal with its votes and voters",
    "kind": "query",
    "query": "query ProposalPage($id: ID!, $after: String) {\n  proposal(id: $id) {\n    ...ProposalCard\n    metadata\n    groupVersion\n    groupPolicyVersion\n    finalTallyResult {\n      yesCount\n      noCount\n      abstainCount\n      noWithVetoCount\n    }\n    outcome {\n      abstainPercent\n      noPercent\n      noWithVetoPercent\n    }\n    messages {\n      value\n      json\n    }\n    groupPolicy {\n      address\n      account {\n        balances(first: 5) {\n          nodes {\n            denom\n            amount\n            display {\n              amount\n              symbol\n            }\n          }\n        }\n      }\n      decisionPolicy {\n        ...Rule\n      }\n    }\n    votes(first: 20, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        option\n        metadata\n        submitTime\n        member {\n          weight\n          weightPercent\n          metadata\n        }\n        voter {\n          address\n          attributes(suffix: \"kyc.pb\", first: 3) {\n            nodes {\n              name\n              value\n              attributeType\n            }\n          }\n        }\n      }\n    }\n    pendingVoters(first: 20) {\n      totalCount\n      nodes {\n        weight\n        metadata\n        account {\n          address\n        }\n      }\n    }\n  }\n}\n\nfragment ProposalCard on Proposal {\n  id\n  title\n  summary\n  status\n  executorResult\n  submitTime\n  votingPeriodEnd\n  votingTimeLeft\n  executableFrom\n  proposers {\n    address\n  }\n  messages {\n    type\n    inWords\n  }\n  tally {\n    yesCount\n    noCount\n    abstainCount\n    noWithVetoCount\n  }\n  outcome {\n    decision\n    yesNeeded\n    yesPercent\n    votedPercent\n    undecidedWeight\n    totalWeight\n  }\n}\n\nfragment Rule on DecisionPolicy {\n  type\n  windows {\n    votingPeriod\n    minExecutionPeriod\n  }\n  ... on ThresholdDecisionPolicy {\n    threshold\n  }\n  ... on PercentageDecisionPolicy {\n    percentage\n  }\n}\n",
    "variables": {
      "id": "38"
    },
    "module": "cosmos.group"
  },
  {
    "name": "MyProposalsLive",
    "title": "Watch the proposals of my groups",
    "kind": "subscription",
    "query": "subscription MyProposalsLive($me: String!, $after: Int64) {\n  proposalUpdated(member: $me, after: $after) {\n    proposalId\n    height\n    time\n    reasons\n    status\n    executorResult\n    tally {\n      yesCount\n      noCount\n      abstainCount\n      noWithVetoCount\n    }\n    proposal {\n      ...ProposalCard\n      pendingVoters(first: 10) {\n        totalCount\n        nodes {\n          account {\n            address\n          }\n        }\n      }\n    }\n  }\n}\n\nfragment ProposalCard on Proposal {\n  id\n  title\n  summary\n  status\n  executorResult\n  submitTime\n  votingPeriodEnd\n  votingTimeLeft\n  executableFrom\n  proposers {\n    address\n  }\n  messages {\n    type\n    inWords\n  }\n  tally {\n    yesCount\n    noCount\n    abstainCount\n    noWithVetoCount\n  }\n  outcome {\n    decision\n    yesNeeded\n    yesPercent\n    votedPercent\n    undecidedWeight\n    totalWeight\n  }\n}\n",
    "variables": {
      "me": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    },
    "module": "cosmos.group"
  },
  {
    "name": "AccountTransfers",
    "title": "Transfers of an account",
    "kind": "query",
    "query": "query AccountTransfers($address: String!, $denom: String, $after: String) {\n  account(address: $address) {\n    transfers(\n      denom: $denom\n      kinds: [SEND, MULTI_SEND, MARKER_TRANSFER, OTHER]\n      first: 20\n      after: $after\n    ) {\n      completeFrom\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        kind\n        sender {\n          address\n          moduleName\n        }\n        recipient {\n          address\n          moduleName\n        }\n        administrator {\n          address\n        }\n        amount {\n          denom\n          amount\n          display {\n            amount\n            symbol\n          }\n        }\n        message {\n          type\n          inWords\n        }\n        height\n        time\n        transaction {\n          hash\n          code\n          memo\n        }\n      }\n    }\n  }\n}\n",
    "variables": {
      "address": "tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk"
    }
  },
  {
    "name": "BlockPage",
    "title": "A block",
    "kind": "query",
    "query": "query BlockPage($height: Int64!, $after: String) {\n  block(height: $height) {\n    height\n    hash\n    time\n    chainId\n    numTxs\n    blockSize\n    blockId {\n      hash\n      parts {\n        total\n        hash\n      }\n    }\n    header {\n      version {\n        block\n        app\n      }\n      lastBlockId {\n        hash\n      }\n      lastCommitHash\n      dataHash\n      validatorsHash\n      nextValidatorsHash\n      consensusHash\n      appHash\n      lastResultsHash\n      evidenceHash\n      proposerAddress\n    }\n    proposer {\n      address\n      moniker\n      operatorAddress\n    }\n    transactions(first: 20, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        hash\n        index\n        code\n        codespace\n        gasWanted\n        gasUsed\n        messages {\n          type\n          inWords\n        }\n        signers {\n          address\n        }\n        fee {\n          amount {\n            denom\n            amount\n          }\n        }\n      }\n    }\n    results {\n      finalizeBlockEvents {\n        type\n        msgIndex\n        attributes {\n          key\n          value\n          index\n        }\n        json\n      }\n      validatorUpdates {\n        publicKey {\n          type\n          value\n        }\n        power\n      }\n      consensusParamUpdates {\n        block {\n          maxGas\n        }\n      }\n      appHash\n    }\n    evidence {\n      type\n      value\n    }\n    lastCommit {\n      height\n      round\n      signatures {\n        blockIdFlag\n        timestamp\n        validator {\n          address\n          moniker\n        }\n      }\n    }\n  }\n}\n",
    "variables": {
      "height": "2"
    }
  },
  {
    "name": "TransactionPage",
    "title": "A transaction",
    "kind": "query",
    "query": "query TransactionPage($hash: Hex!) {\n  transaction(hash: $hash) {\n    hash\n    height\n    index\n    time\n    code\n    codespace\n    log\n    info\n    data\n    gasWanted\n    gasUsed\n    memo\n    timeoutHeight\n    timeoutTimestamp\n    unordered\n    tx\n    json\n    block {\n      height\n      hash\n    }\n    signers {\n      address\n    }\n    fee {\n      amount {\n        denom\n        amount\n        display {\n          amount\n          symbol\n        }\n      }\n      gasLimit\n      payer {\n        address\n      }\n      granter {\n        address\n      }\n    }\n    messages {\n      type\n      inWords\n      json\n      value\n    }\n    transfers {\n      kind\n      sender {\n        address\n      }\n      recipient {\n        address\n      }\n      amount {\n        denom\n        amount\n        display {\n          amount\n          symbol\n        }\n      }\n    }\n    events {\n      type\n      msgIndex\n      json\n      attributes {\n        key\n        value\n        index\n      }\n    }\n    proof {\n      rootHash\n      data\n      proof {\n        total\n        index\n        leafHash\n        aunts\n      }\n    }\n  }\n}\n",
    "variables": {
      "hash": ""
    }
  },
  {
    "name": "SearchTransactions",
    "title": "Search transactions",
    "kind": "query",
    "query": "query SearchTransactions($where: [EventCondition!], $after: String) {\n  transactions(where: $where, first: 20, after: $after, reverse: true) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      hash\n      height\n      time\n      code\n      messages {\n        type\n        inWords\n      }\n    }\n  }\n}\n",
    "variables": {}
  },
  {
    "name": "OpsPeersAndMempool",
    "title": "Peers and mempool of the node",
    "kind": "query",
    "query": "query OpsPeersAndMempool {\n  netInfo {\n    listening\n    listeners\n    nPeers\n    peers {\n      isOutbound\n      remoteIp\n      nodeInfo {\n        id\n        moniker\n      }\n      connectionStatus {\n        duration\n        sendMonitor {\n          start\n          bytes\n          samples\n          instRate\n          curRate\n          avgRate\n          peakRate\n          bytesRem\n          duration\n          idle\n          timeRem\n          progress\n          active\n        }\n        recvMonitor {\n          avgRate\n          peakRate\n        }\n        channels {\n          id\n          sendQueueCapacity\n          sendQueueSize\n          priority\n          recentlySent\n        }\n      }\n    }\n  }\n  unconfirmedTransactions(first: 50) {\n    nTxs\n    total\n    totalBytes\n    txs {\n      hash\n      messages {\n        type\n        inWords\n      }\n      signers {\n        address\n      }\n      fee {\n        amount {\n          denom\n          amount\n        }\n      }\n    }\n  }\n  consensusState\n  dumpConsensusState\n}\n",
    "variables": {}
  },
  {
    "name": "Ops",
    "title": "The nodes of the server",
    "kind": "query",
    "query": "query Ops {\n  head {\n    height\n    time\n  }\n  nodes {\n    alias\n    health\n    inUse\n    chainId\n    height\n    lag\n    earliestHeight\n    catchingUp\n    txIndex\n    latency\n    consecutiveFailures\n    lastError\n    ejectedUntil\n    netInfo {\n      listening\n      nPeers\n    }\n    status {\n      nodeInfo {\n        moniker\n        version\n      }\n    }\n  }\n  status {\n    lastBlockAge\n    nodeInfo {\n      id\n      network\n      version\n      moniker\n      listenAddr\n      channels\n      protocolVersion {\n        p2p\n        block\n        app\n      }\n      other {\n        txIndex\n        rpcAddress\n      }\n    }\n    syncInfo {\n      latestBlockHeight\n      latestBlockTime\n      latestBlockHash\n      latestAppHash\n      earliestBlockHeight\n      earliestBlockTime\n      earliestBlockHash\n      earliestAppHash\n      catchingUp\n    }\n    validatorInfo {\n      address\n      votingPower\n      publicKey {\n        type\n        value\n      }\n    }\n  }\n  health\n  limits {\n    name\n    value\n    unit\n    code\n    description\n  }\n  numUnconfirmedTransactions {\n    nTxs\n    total\n    totalBytes\n  }\n}\n",
    "variables": {}
  }
];
