// A function that returns a vector: type, function and code section.
const withVectors = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 5, 1, 0x60, 0, 1, 0x7b],
  ...[3, 2, 1, 0],
  ...[0x0a, 8, 1, 6, 0, 0x41, 0, 0xfd, 0x0f, 0x0b],
);

/** @internal Whether this engine runs modules with 128-bit vectors. */
export const hasSimd = (): boolean => WebAssembly.validate(withVectors);
