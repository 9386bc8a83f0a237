import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

// The sampled token must not depend on an engine's own functions; a number for display may.
const inexactFunctions = ['exp', 'expm1', 'log', 'log1p', 'log2', 'log10', 'pow'];

export default defineConfig(
  globalIgnores([
    '**/dist/',
    '**/node_modules/',
    'build/',
    '.toolchain*/',
    'ts/wasm/',
    'ts/src/generated/',
    'web-demo/public/',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' } },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-undef': 'off', // the compiler knows better
      // A number in a sentence is unmistakable.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
    },
  },
  {
    files: ['ts/src/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...inexactFunctions.map((property) => ({
          object: 'Math',
          property,
          message: 'Engines round it differently; the core has an exact one.',
        })),
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'BinaryExpression[operator="**"]',
          message: 'Engines round it differently; the core has an exact one.',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs', '*.ts', 'tests/**'],
    rules: { 'no-console': 'off' },
  },
  {
    // A fixture's type is asserted where it is read, and an absent element fails the test all the same.
    files: ['tests/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    // Programs as users write them, without types.
    files: ['docs/examples/**', 'tests/install/next/**', 'tests/install/app/*.cjs'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-require-imports': 'off',
      'no-console': 'off',
    },
  },
  {
    // The types of scripts are in their JSDoc, which the compiler reads and these rules do not.
    files: ['**/*.mjs', 'tests/install/app/*.js'],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
);
