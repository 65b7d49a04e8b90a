import type { Answer } from './answer.ts';

/** A caller that waits for an answer. */
export interface Asker {
  /** Calls `listener` once if the caller disconnects before it has its answer. */
  onLeave(listener: () => void): void;
}

/** The execution of one answer, for all callers that wait for it. */
export interface Making {
  /** Calls `listener` once when all waiting callers have left. */
  onAbandoned(listener: () => void): void;
  /** Releases the other callers: the answer is for the first caller only. Call it as soon as this is known. */
  cannotShare(): void;
}

/** A {@link Making} that other callers can join. */
export interface SharedMaking extends Making {
  /** Counts a caller as waiting until it disconnects or the returned function is called. */
  join(asker: Asker): () => void;
  /** Waits for the answer: undefined if it cannot be shared, `left` if this caller disconnects first. */
  wait(asker: Asker): Promise<Answer | undefined | 'left'>;
  /** Passes the answer to the waiting callers; undefined if it cannot be shared. Only the first call has an effect. */
  end(answer: Answer | undefined): void;
  /** Calls `listener` when no further caller can join. */
  onOver(listener: () => void): void;
}

/** Starts an execution that no caller has joined yet. */
export function createMaking(): SharedMaking {
  const over: (() => void)[] = [];
  const abandoned: (() => void)[] = [];
  let waiting = 0;
  let isAbandoned = false;
  let end: (answer: Answer | undefined) => void = () => undefined;
  const ended = new Promise<Answer | undefined>((resolve) => {
    end = (answer) => {
      resolve(answer);
      for (const tell of over.splice(0)) tell();
    };
  });

  function join(asker: Asker): () => void {
    let joined = true;
    waiting += 1;
    const leave = (): void => {
      if (!joined) return;
      joined = false;
      waiting -= 1;
      if (waiting > 0) return;
      isAbandoned = true;
      end(undefined);
      for (const stop of abandoned.splice(0)) stop();
    };
    asker.onLeave(leave);
    return leave;
  }

  return {
    join,
    async wait(asker) {
      let hasLeft = false;
      const left = new Promise<undefined>((resolve) => {
        asker.onLeave(() => {
          hasLeft = true;
          resolve(undefined);
        });
      });
      const leave = join(asker);
      const answer = await Promise.race([ended, left]);
      leave();
      return hasLeft ? 'left' : answer;
    },
    end: (answer) => end(answer),
    cannotShare: () => end(undefined),
    onAbandoned(listener) {
      if (isAbandoned) listener();
      else abandoned.push(listener);
    },
    onOver: (listener) => void over.push(listener),
  };
}
