import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores: more files at once than cores only makes the threaded tests wait for each other.
    maxWorkers: 2,
  },
});
