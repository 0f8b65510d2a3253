import { configDefaults, defineConfig } from 'vitest/config';

/** Limits catch what hangs, never what is slow: the machine may be busy with other things. */
const MINUTES = 60_000;

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts'],
    // Those are run by `npm run test:long`.
    exclude: [...configDefaults.exclude, '**/*.long.test.ts'],
    testTimeout: 15 * MINUTES,
    hookTimeout: 15 * MINUTES,
    expect: { poll: { timeout: 5 * MINUTES } },
    // What commands print is compared as text: some environments ask for colours without a terminal.
    env: { NO_COLOR: '1' },
    // Two cores: more files at once than cores only makes the threaded tests wait for each other.
    maxWorkers: 2,
  },
});
