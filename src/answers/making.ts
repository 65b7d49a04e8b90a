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
  /** Whether no further caller can join. */
  readonly isOver: boolean;
  /** Calls `listener` when no further caller can join. */
  onOver(listener: () => void): void;
}

/** Starts an execution that no caller has joined yet. */
export function createMaking(): SharedMaking {
  return new AnswerMaking();
}

type Wait = (answer: Answer | undefined) => void;

/** It is a class because each executed request has one, which mostly ends without a second caller. */
class AnswerMaking implements SharedMaking {
  #waiting = 0;
  #isAbandoned = false;
  #isOver = false;
  #answer: Answer | undefined;
  /** The listeners; undefined while there are none. */
  #waits: Wait[] | undefined;
  #over: (() => void)[] | undefined;
  #abandoned: (() => void)[] | undefined;

  get isOver(): boolean {
    return this.#isOver;
  }

  join(asker: Asker): () => void {
    let joined = true;
    this.#waiting += 1;
    const leave = (): void => {
      if (!joined) return;
      joined = false;
      this.#waiting -= 1;
      if (this.#waiting > 0) return;
      this.#isAbandoned = true;
      this.end(undefined);
      const abandoned = this.#abandoned ?? [];
      this.#abandoned = undefined;
      for (const stop of abandoned) stop();
    };
    asker.onLeave(leave);
    return leave;
  }

  async wait(asker: Asker): Promise<Answer | undefined | 'left'> {
    let hasLeft = false;
    const left = new Promise<undefined>((resolve) => {
      asker.onLeave(() => {
        hasLeft = true;
        resolve(undefined);
      });
    });
    const leave = this.join(asker);
    const answer = await Promise.race([this.#ended(), left]);
    leave();
    return hasLeft ? 'left' : answer;
  }

  end(answer: Answer | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#answer = answer;
    const [waits = [], over = []] = [this.#waits, this.#over];
    this.#waits = undefined;
    this.#over = undefined;
    for (const resolve of waits) resolve(answer);
    for (const tell of over) tell();
  }

  cannotShare(): void {
    this.end(undefined);
  }

  onAbandoned(listener: () => void): void {
    if (this.#isAbandoned) listener();
    else {
      this.#abandoned ??= [];
      this.#abandoned.push(listener);
    }
  }

  onOver(listener: () => void): void {
    this.#over ??= [];
    this.#over.push(listener);
  }

  #ended(): Promise<Answer | undefined> {
    if (this.#isOver) return Promise.resolve(this.#answer);
    return new Promise((resolve) => {
      this.#waits ??= [];
      this.#waits.push(resolve);
    });
  }
}
