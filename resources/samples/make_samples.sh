#!/usr/bin/env bash
# Writes the generated samples again: the 4-device training step, and a small one for one device that the
# reference evaluator runs in a moment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
./make_transformer_step.py -o "${1:-.}/transformer_step.hlo"
./make_transformer_step.py --devices 1 --layers 2 --batch 2 --sequence 16 --model 32 --heads 4 --hidden 64 \
  --vocab 64 --compute f32 -o "${1:-.}/transformer_step_small.hlo"
