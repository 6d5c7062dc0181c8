// XLA's names of dot algorithms and what StableHLO's dot_algorithm says of each.
#pragma once

#include <cstdint>
#include <string>

#include "core/hlo/proto/schema/data.pb.h"

namespace hilo::stablehlo {

// #stablehlo.dot_algorithm, both operands being of one kind.
struct DotAlgorithm {
  std::string operand, accumulation;  // type names
  int64_t components = 1, operations = 1;
  bool imprecise = false;
};

// UNSET where XLA has no name for it.
pb::PrecisionConfig::Algorithm algorithmOf(const DotAlgorithm& algorithm);
// "#stablehlo.dot_algorithm<...>"; of any floats of 8 bits f8E5M2 stands for all. Empty for a
// number not known.
std::string dotAlgorithmText(pb::PrecisionConfig::Algorithm algorithm);

}  // namespace hilo::stablehlo
