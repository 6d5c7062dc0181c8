// What devices do together, as plain data: the table `Program::collectives`, to which thunks refer by number.
// Which devices take part follows from mode, groups and the grid the program runs on
// (hlo/ir/device_groups.h).
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/device_groups.h"
#include "core/hlo/ir/element_type.h"
#include "core/runtime/program/table_place.h"

namespace hilo {

enum class CollectiveKind : uint8_t {
  AllReduce,
  ReduceScatter,
  AllGather,
  AllToAll,       // of one array, cut into a part for each device
  TupleAllToAll,  // of one array for each device
  RaggedAllToAll,
  Broadcast,
  Permute,
  SendRecv,
};
inline constexpr int kCollectiveKindCount = 9;
// The opcode: "all-reduce", ...
const char* collectiveKindName(CollectiveKind kind);

// What contributions are combined by, where XLA has a word for it: programs are written as its thunks.
enum class ReductionKind : uint8_t { Other, Sum, Product, Minimum, Maximum };
inline constexpr int kReductionKindCount = 5;
// XLA's word: "sum", "prod", "min", "max"; else "other".
const char* reductionKindName(ReductionKind kind);

// How contributions are combined, by kernels over a range of elements. Reduction with `widens`: sums are
// held in f64 and rounded once: accumulate(sum f64, element), then narrow(result, sum). Else
// accumulate(result, element).
struct CollectiveReduction {
  KernelPlace accumulate, narrow;
  bool widens = false;
  ElementType type = ElementType::S32;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("accumulate", self.accumulate);
    v("narrow", self.narrow);
    v("widens", self.widens);
    v("type", self.type);
  }
};

struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  DeviceGroupMode mode = DeviceGroupMode::CrossReplica;
  int64_t channel = 0;
  // Groups; of Permute and SendRecv (source, target) pairs.
  std::vector<std::vector<int64_t>> groups;
  // SendRecv: false when the channel alone says what goes where.
  bool hasPairs = false;
  // AllReduce and ReduceScatter: one an operand, and what they all do.
  std::vector<CollectiveReduction> reductions;
  ReductionKind reduction = ReductionKind::Other;
  // Of each operand: how many runs it is seen as, when it is gathered, scattered or cut along a dimension:
  // the product of the dimensions outside of that one, in memory order.
  std::vector<int64_t> outer;
  // RaggedAllToAll: of a row, and of the offsets and sizes.
  int64_t rowBytes = 0;
  ElementType indexType = ElementType::S64;

  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("kind", self.kind);
    v("mode", self.mode);
    v("channel", self.channel);
    v("groups", self.groups);
    v("hasPairs", self.hasPairs);
    v("reductions", self.reductions);
    v("reduction", self.reduction);
    v("outer", self.outer);
    v("rowBytes", self.rowBytes);
    v("indexType", self.indexType);
  }
};

}  // namespace hilo
