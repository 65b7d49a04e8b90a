import { GraphQLError } from 'graphql';

/** Refuses operations without a name, so that logs and metrics can tell operations apart. */
export default {
  onValidate({ addValidationRule }) {
    addValidationRule((context) => ({
      OperationDefinition({ name }) {
        if (name !== undefined) return;
        const extensions = { code: 'OPERATION_WITHOUT_NAME', http: { status: 400 } };
        context.reportError(new GraphQLError('Give the operation a name.', { extensions }));
      },
    }));
  },
};
