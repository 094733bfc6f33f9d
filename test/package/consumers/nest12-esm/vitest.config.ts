import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { globals: true, root: './src', include: ['**/*.spec.ts'], testTimeout: 20_000 },
});
