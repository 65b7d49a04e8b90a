export default {
  rewrites: async () => [{ source: '/graphql', destination: `${process.env.STELE_URL}/graphql` }],
};
