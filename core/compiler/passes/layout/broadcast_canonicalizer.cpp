#include "core/compiler/passes/layout/broadcast_canonicalizer.h"

#include <algorithm>

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isUnsorted(const Instruction& i) {
  return i.opcode() == Opcode::Broadcast && !std::ranges::is_sorted(i.dimensions()) &&
         liesRowMajor(i.shape()) && liesRowMajor(i.operand(0)->shape());
}

// The operand with its dimensions in the order they have in the result.
Instruction* sorted(Instruction& i) {
  std::vector<int64_t> order(i.dimensions().size()), dims(i.dimensions().begin(), i.dimensions().end());
  std::ranges::generate(order, [n = int64_t{0}]() mutable { return n++; });
  std::ranges::sort(order, {}, [&](int64_t d) { return dims[static_cast<size_t>(d)]; });
  std::ranges::sort(dims);
  Instruction* made = i.parent().createLike(i, {{transposeBy(i.operand(0), order, i)}}, &i);
  made->set<Attr::Dimensions>(dims);
  return made;
}

}  // namespace

Result<bool> canonicalizeBroadcasts(Module& module, PassContext& context) {
  return rewriteEach(module, context, "sorted", isUnsorted, sorted);
}

}  // namespace hilo
