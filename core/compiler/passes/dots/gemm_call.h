// A call to cuBLASLt or cuBLAS as its backend config describes it, and the values it gives.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>

#include "core/hlo/ir/module.h"

namespace hilo {

// D = function(alpha * A * B + beta * C + bias). Operands: A, B, C where beta is not 0, of 8 bit floats their
// scales, the bias where it is added. Results: D, the sum before the function where it is kept, workspace.
struct GemmConfig {
  std::complex<double> alpha = 1;
  double beta = 0;
  bool addsBias = false, keepsSum = false;
  std::string_view function;  // "RELU", "GELU", or "" where there is none
  std::string dot;            // what the dot says: dimensions, precision
  std::string strides;        // of A and B between batches, in elements

  std::string text() const;
};

// What a dot says, with the epilogue left to be filled in. The strides are those of its operands.
GemmConfig gemmConfigOf(const Instruction& dot);

// A call in front of `before` that gives `results` and a workspace.
struct GemmCall {
  std::string_view target;
  std::vector<Instruction*> operands;
  std::vector<Shape> results;
  int64_t workspaceBytes = 0;
  GemmConfig config;
};
Instruction* makeGemmCall(const GemmCall& call, const Instruction& like, Instruction& before);

}  // namespace hilo
