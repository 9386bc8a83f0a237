export default {
  worker: { format: 'es' },
  optimizeDeps: { exclude: ['quillmate-sampler'] },
  server: { fs: { allow: ['..'] } }, // the model lies beside this folder
};
