/** How every test and measurement starts Debian's Chromium: as root, headless, talking to nobody. */
export const launchOptions = {
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** The same with WebGPU, computed on the processor: for tests that need a GPU, whose machine has none. */
export const webGpuLaunchOptions = {
  ...launchOptions,
  args: [
    ...launchOptions.args.filter((arg) => arg !== '--disable-gpu'),
    '--enable-unsafe-webgpu',
    '--use-webgpu-adapter=swiftshader',
    '--enable-features=Vulkan',
  ],
};
