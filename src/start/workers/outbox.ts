/**
 * Creates a function that sends messages to another process. Messages of one turn of the event loop are sent together and in order, so that reads
 * that begin together go to the nodes in one batch, and an operation with many reads needs few messages.
 */
export function createOutbox<M>(send: (messages: readonly M[]) => void): (message: M) => void {
  let waiting: M[] = [];

  function flush(): void {
    const messages = waiting;
    waiting = [];
    send(messages);
  }

  return (message) => {
    waiting.push(message);
    // The transport to a node collects its calls by the same two steps.
    if (waiting.length === 1) Promise.resolve().then(() => process.nextTick(flush));
  };
}
