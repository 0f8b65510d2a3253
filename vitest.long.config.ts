import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

/** Laws that take minutes: before a release, and with the benchmarks. */
export default defineConfig({
  test: {
    ...base.test,
    include: ['packages/*/test/**/*.long.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 60 * 60_000,
  },
});
