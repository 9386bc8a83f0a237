export const help = `Writes text with a model, the same text for the same seed.

  quillmate-sampler generate MODEL [options]        writes a text
  quillmate-sampler resume MODEL STATE [options]    goes on with a text, as if it had never stopped
  quillmate-sampler verify MODEL STATE [options]    writes a text again and compares

MODEL is a folder with config.json, tokenizer.json, tokenizer_config.json and an ONNX decoder; STATE, a file that --state
wrote, or any generator's state() as JSON. The command needs onnxruntime-web and @huggingface/tokenizers beside this package.

generate:
  --prompt TEXT          what the text begins with (default: nothing)
  --prompt-file FILE     the same from a file; - is standard input
  --seed N               0 to 18446744073709551615 (default: a fresh one, which is told)
  --temperature T        default 1; 0 takes the likeliest token each time
  --top-k K              default 0, which is off
  --top-p P              default 1, which is off
  --audit MODE           what the state keeps of the model's numbers: off, light or full (default: light)

generate, resume:
  --max-tokens N         how many tokens are drawn at most (default: 100)
  --stop TEXT            ends once this is written; may be given several times
  --state FILE           where the state is written at the end, also after Ctrl-C; without it none is, also by resume

all:
  --file NAME            the decoder in MODEL (default: onnx/model_quantized.onnx)
  --json                 one JSON object on standard output, nothing before the end
  --quiet                nothing on standard error but failures
  --help, --version

The text, with its prompt, goes to standard output, progress to standard error. Exit codes: 0 done, and verify found the same;
1 failed, for the reason given; 2 the arguments are wrong; 3 verify found a difference; 130 interrupted.
`;
