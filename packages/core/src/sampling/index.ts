export { SamplingError } from './error.js';
export { MAX_PARTICLES, type Samples, type SamplingOptions, type SamplingQuality, sampleShape } from './sample.js';
