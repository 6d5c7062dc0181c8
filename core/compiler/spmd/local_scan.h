// Scans of one device's program that the partitioner makes: of a scan whose inputs, outputs and steps of its
// carries have the same sizes.
#pragma once

#include <optional>

#include "core/compiler/spmd/local_builder.h"

namespace hilo {

// Input i, output i and the inputs of one step are alike; each carry has the sizes of a step.
struct EvenScan {
  const Instruction& scan;
  size_t arrays = 0;  // inputs, and as many outputs
  size_t carries = 0;
  size_t along = 0;

  static std::optional<EvenScan> of(const Instruction& scan);
  std::vector<int64_t> stepSizes(Shape array) const;
  // Whether a step computes each element from the same element of its inputs and carries.
  bool isByElement() const;
  // Whether what is carried to a step may be computed from the steps before in any grouping: the outputs are
  // the carries, and the scan is associative.
  bool hasPrefix() const;
};

// The scan of other arrays: their parts, or parts along the scanned dimension. Gives outputs, then carries.
class LocalScan {
 public:
  // Of arrays whose steps have these sizes; another than its own only where it is by element.
  LocalScan(LocalBuilder& builder, const EvenScan& scan, std::span<const int64_t> stepSizes);
  std::vector<Instruction*> over(std::span<Instruction* const> arrays,
                                 std::span<Instruction* const> carries) const;

 private:
  LocalBuilder& builder_;
  const EvenScan& scan_;
  Computation* body_;
};

}  // namespace hilo
