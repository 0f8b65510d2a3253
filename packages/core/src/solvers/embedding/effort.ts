import type { Resampling } from './resample.js';

/** What was done, over all steps. */
export interface EmbeddingEffort extends Resampling {
  embeddings: number;
  embeddingIterations: number;
  viscosityIterations: number;
}

export const NO_EMBEDDING: EmbeddingEffort = {
  embeddings: 0,
  embeddingIterations: 0,
  viscosityIterations: 0,
  splits: 0,
  merges: 0,
  refused: 0,
};
