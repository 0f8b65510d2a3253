/** What was done, over all steps. */
export interface RenewalEffort {
  /** How often rest vectors have been renewed, and of these times how often neighbours. */
  renewals: number;
  searches: number;
  splits: number;
  merges: number;
  /** Splits that found no free slot. */
  refused: number;
}

export const NO_RENEWAL: RenewalEffort = { renewals: 0, searches: 0, splits: 0, merges: 0, refused: 0 };
