import type { Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import { countPoints, countPointsAhead, type OperationCost } from './cost.ts';

/** Charges for the lists that an execution counts and that its price does not include. */
export interface CountTally {
  /** Sets the price of the operation. Nothing is counted before. */
  begin(cost: Pick<OperationCost, 'points' | 'countsPaid'>): void;
  /** Notes that a list is counted. Throws OPERATION_TOO_COMPLEX if the operation would cost more than `graphql.cost` with it. */
  readonly onCount: () => void;
}

/** Creates the tally of an operation. `charge` gets the points of each list that is not included in the price. */
export function createCountTally(limits: Limits, charge: (points: number) => void): CountTally {
  const each = countPoints - countPointsAhead;
  let [points, paid] = [0, 0];
  return {
    begin(cost) {
      points = cost.points;
      paid = cost.countsPaid;
    },
    onCount() {
      if (paid > 0) {
        paid -= 1;
        return;
      }
      points += each;
      const max = limits['graphql.cost'];
      if (points > max) {
        const text = `At most ${max} points are allowed (graphql.cost); this operation counts too many lists. Select smaller pages, or count fewer lists.`;
        throw new RequestError('OPERATION_TOO_COMPLEX', text, { limit: 'graphql.cost', value: points.toString(), max });
      }
      charge(each);
    },
  };
}
