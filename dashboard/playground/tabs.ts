/** A tab of the playground. */
export interface PlaygroundTab {
  readonly query: string;
  readonly variables?: string;
}

/**
 * A transfer of 1 hash from account 8 of the embedded chain to account 9, signed as its first transaction, in base64. Other chains reject it, which
 * the mutation returns as data.
 */
const transfer =
  'CqMBCosBChwvY29zbW9zLmJhbmsudjFiZXRhMS5Nc2dTZW5kEmsKKXRwMWU4NXd3dnR5NXB4cGpmdmxrZDNtdTluMzBsOXpscjJ2bGpsOW1rEil0cDFwcDR0MHQ5bDlnY3VjdnpjMGdoMmhzNHc2ZWF4aGNhd2hqeTd1dBoTCgVuaGFzaBIKMTAwMDAwMDAwMBITZnJvbSB0aGUgcGxheWdyb3VuZBJrCk4KRgofL2Nvc21vcy5jcnlwdG8uc2VjcDI1NmsxLlB1YktleRIjCiED/GKy4E07f/UKfoJ7C3RQbT3RwME8iYR8zHuyYR3dqokSBAoCCAESGQoTCgVuaGFzaBIKMTAwMDAwMDAwMBDAhD0aQGCIo+frTKCmQpYXyhVX2pOU35I4241FXSGUNDi2Ac1tSJwSnAoFrsbGr/HLBhPfgE9DKSLzT2jwRBSZIsXntT0=';

/** The tabs that the playground opens with for the first time. They run on any chain. */
export const playgroundTabs: PlaygroundTab[] = [
  {
    query: `# Governance: groups with their policies, and the newest proposals of each with votes, tally and outcome.
# The whole answer is read at one height.
query Governance {
  head { height time chainId }
  groups(first: 5) {
    totalCount
    nodes {
      id
      metadata
      totalWeight
      policies(first: 5) {
        nodes {
          address
          decisionPolicy { type windows { votingPeriod } }
          proposals(first: 5, reverse: true) {
            totalCount
            nodes {
              id
              title
              status
              votingTimeLeft
              tally { yesCount noCount abstainCount noWithVetoCount }
              outcome { decision yesNeeded yesPercent votedPercent }
              votes(first: 20) { nodes { option submitTime voter { address } } }
              messages { type json }
            }
          }
        }
      }
    }
  }
}
`,
  },
  {
    query: `# Time travel: the same chain at an earlier height, beside the newest.
query TimeTravel($height: Int64!) {
  head { height time }
  groups { totalCount }
  at(height: $height) {
    head { height time }
    groups {
      totalCount
      nodes { id version members(first: 20) { nodes { weight weightPercent account { address } } } }
    }
  }
}
`,
    variables: '{ "height": 1 }',
  },
  {
    query: `# Subscription: each new block with its transactions, until you stop it.
subscription Blocks {
  newBlock {
    height
    time
    transactions(first: 20) {
      totalCount
      nodes { hash code messages { type inWords } }
    }
  }
}
`,
  },
  {
    query: `# Mutation: sends a signed transaction and returns what the mempool check said about it.
# On the embedded chain it transfers 1 hash from account 8 to account 9. It can be included once.
mutation Send($tx: String!) {
  broadcastTxSync(tx: $tx) {
    hash
    status
    duplicate
    checkTx { code codespace log }
  }
}
`,
    variables: `{ "tx": "${transfer}" }`,
  },
  {
    query: `# The node behind this server, as it is now.
query Node {
  status {
    lastBlockAge
    nodeInfo { network moniker version other { txIndex } }
    syncInfo { latestBlockHeight latestBlockTime earliestBlockHeight catchingUp }
    validatorInfo { address votingPower }
  }
}
`,
  },
];
