// A call to cuBLASLt or cuBLAS as its backend config describes it, and the values it gives.
#pragma once

#include <array>
#include <complex>
#include <optional>
#include <string>
#include <string_view>

#include "core/hlo/ir/module.h"

namespace hilo {

inline constexpr std::string_view kF8Gemm = "__cublas$lt$matmul$f8";

// D = function(alpha * A * B + beta * C + bias). Operands: A, B, C where beta is not 0, of 8 bit floats the
// scales of A and B, the bias where it is added, the scale of D where it is scaled. Results: D, the sum
// before the function where it is kept, the largest magnitude before D is scaled where that is asked for,
// and the workspace.
struct GemmConfig {
  std::complex<double> alpha = 1;
  double beta = 0;
  bool addsBias = false, keepsSum = false, scalesResult = false, givesAmax = false;
  std::string_view function;  // "RELU", "GELU", or "" where there is none
  std::string dot;            // what the dot says: dimensions, precision
  std::string strides;        // of A and B between batches, in elements

  std::string text() const;
  // A * B and no more, but for alpha.
  bool isProduct() const { return beta == 0 && !addsBias && !scalesResult && function.empty(); }
};

// What a dot says, with the epilogue left to be filled in. The strides are those of its operands.
GemmConfig gemmConfigOf(const Instruction& dot);
// The same where the operands contract other dimensions than the dot says.
GemmConfig gemmConfigOf(const Instruction& dot, const std::array<int64_t, 2>& contracting);

// A call in front of `before` that gives `results` and a workspace.
struct GemmCall {
  std::string_view target;
  std::vector<Instruction*> operands;
  std::vector<Shape> results;
  int64_t workspaceBytes = 0;
  GemmConfig config;
  bool writesMatrix = false;  // D takes the place of C

  bool isF8() const { return target == kF8Gemm; }
};
Instruction* makeGemmCall(const GemmCall& call, const Instruction& like, Instruction& before);

// Why the library does not take the arrays of this dot; "" where it does.
std::string_view whyNoLibraryArrays(const Instruction& dot);

}  // namespace hilo
