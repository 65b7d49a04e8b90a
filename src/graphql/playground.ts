/** A tab of the playground. */
export interface PlaygroundTab {
  readonly query: string;
  readonly variables?: string;
}

/** The tabs that a first visit opens with. They name nothing of one chain, so they run on any. */
export const playgroundTabs: PlaygroundTab[] = [
  {
    query: `# Groups with their policies, and the newest proposals of each with votes, tally and outcome:
# one height for the whole answer, in as few calls to the node as there are distinct things to read.
query Board {
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
query BoardAt($height: Int64!) {
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
