#include "core/runtime/ptx/ptx_ops.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "core/base/enum_table.h"

namespace hilo {
namespace {

constexpr EnumTable<PtxOp, std::string_view> kNames({
#define PTX_OP(name, opcode) opcode,
#include "core/runtime/ptx/ptx_ops.def"
});

constexpr size_t kMostWords = 4;  // of a family's name: "cp.async.mbarrier.arrive"

const absl::flat_hash_map<std::string_view, PtxOp>& opsByName() {
  static const auto& kOps = *[] {
    auto* ops = new absl::flat_hash_map<std::string_view, PtxOp>();
    for (size_t i = 0; i < enumCount<PtxOp>(); ++i)
      ops->emplace(kNames[static_cast<PtxOp>(i)], static_cast<PtxOp>(i));
    ops->erase("");
    return ops;
  }();
  return kOps;
}

}  // namespace

std::string_view ptxOpName(PtxOp op) { return kNames[op]; }

PtxOp ptxOpOf(std::string_view opcode) {
  size_t ends[kMostWords + 1];
  size_t words = 0;
  for (size_t at = 0; words <= kMostWords && at < opcode.size();) {
    at = std::min(opcode.find('.', at), opcode.size());
    ends[words++] = at++;
  }
  for (; words > 0; --words) {
    const auto found = opsByName().find(opcode.substr(0, ends[words - 1]));
    if (found != opsByName().end()) return found->second;
  }
  return PtxOp::Unknown;
}

}  // namespace hilo
