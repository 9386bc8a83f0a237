const { loadSampler } = require('quillmate-sampler');

const logits = Float32Array.from([0.05, 0.5, 0.15, 0.3], Math.log);
loadSampler().then((sampler) => console.log(sampler.sampleToken(logits, { topP: 0.75, u: 0.7 })));
