// Small modules with shardings, whose partitioning can be worked out by hand.
#pragma once

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/partition/partition.h"

namespace hilo {

// x is cut in its rows, w too, so w must be gathered: the dot keeps x's cut, as its annotation says.
inline constexpr const char* kGathersWeights =
    R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[16,8] parameter(0), sharding={mesh['data'=4], [{'data'}, {}]}, metadata={op_name="x" source_file="model.py" source_line=1}
  w = f32[8,32] parameter(1), sharding={mesh['data'=4], [{'data'}, {}]}, metadata={op_name="w" source_file="model.py" source_line=2}
  v = f32[8,32] negate(w), metadata={op_name="v" source_file="model.py" source_line=3}
  d = f32[16,32] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={mesh['data'=4], [{'data'}, {}]}, metadata={op_name="d" source_file="model.py" source_line=4}
  ROOT r = f32[16,32] exponential(d), sharding={mesh['data'=4], [{'data'}, {}]}, metadata={op_name="r" source_file="model.py" source_line=5}
}
)";

inline std::shared_ptr<const Module> shardedModule(const char* text = kGathersWeights) {
  auto module = parseModuleStrictly(text);
  if (!module) ADD_FAILURE() << toString(module.error());
  return module ? std::shared_ptr<const Module>(*std::move(module)) : nullptr;
}

inline std::shared_ptr<const Partitioning> partitioningOf(PartitionRequest request) {
  auto made = makePartitioning(request, JobContext());
  if (!made) ADD_FAILURE() << toString(made.error());
  return made ? *made : nullptr;
}

}  // namespace hilo
