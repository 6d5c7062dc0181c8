#include "core/compiler/codegen/gpu/kernel_variants.h"

#include <algorithm>

#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

constexpr int kFirstTensorCores = 80;
constexpr int64_t kSquares[] = {64, 128};

// The work that decides which shapes there are: of a fusion, what is in it.
template <typename Is>
bool computes(const Instruction& instruction, Is is) {
  if (instruction.opcode() != Opcode::Fusion) return is(instruction);
  return std::ranges::any_of(instruction.calledComputations()[0]->instructions(),
                             [&](const Instruction* inside) { return is(*inside); });
}
bool computes(const Instruction& instruction, Opcode opcode) {
  return computes(instruction, [opcode](const Instruction& i) { return i.opcode() == opcode; });
}

// A dot of fewer than 16 rows or columns.
bool isThin(const Instruction& dot) {
  constexpr int64_t kLeast = 16;
  if (dot.opcode() != Opcode::Dot) return false;
  const Shape left = dot.operand(0)->shape(), right = dot.operand(1)->shape();
  int64_t products = dot.shape().elementCount();
  for (const int64_t d : dot.get<Attr::LhsContractingDims>()) products *= left.dimension(d);
  return products < kLeast * std::max(left.elementCount(), right.elementCount());
}

bool isKernel(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Fusion || computes(instruction, Opcode::Dot) ||
         computes(instruction, Opcode::Reduce) || computes(instruction, Opcode::Transpose) ||
         computes(instruction, Opcode::Convolution) || computes(instruction, Opcode::ReduceWindow);
}

}  // namespace

std::vector<KernelVariant> kernelVariants(const Instruction& instruction, const GpuTarget& target) {
  if (!isKernel(instruction)) return {};
  std::vector<KernelVariant> variants = {{{.shape = "elements"}, true}};
  if (computes(instruction, Opcode::Dot) || computes(instruction, Opcode::Convolution))
    variants.push_back({{.shape = "library call"}, true});
  if (computes(instruction, Opcode::Dot)) {
    variants.push_back({{.shape = "tiled dot"}});
    if (computes(instruction, isThin)) variants.push_back({{.shape = "thin dot"}});
    for (const int64_t size : kSquares) {
      if (target.number >= kFirstTensorCores)
        variants.push_back({{.shape = "tensor dot", .rows = size, .columns = size}});
    }
  }
  if (computes(instruction, Opcode::Reduce)) {
    variants.push_back({{.shape = "rows"}});
    variants.push_back({{.shape = "columns"}});
  }
  if (computes(instruction, Opcode::ReduceWindow)) variants.push_back({{.shape = "scan"}});
  if (computes(instruction, Opcode::ReduceWindow) || computes(instruction, Opcode::Convolution))
    variants.push_back({{.shape = "windows"}});
  if (computes(instruction, Opcode::Transpose)) variants.push_back({{.shape = "transpose"}});
  return variants.size() < 2 ? std::vector<KernelVariant>() : variants;
}

}  // namespace hilo
