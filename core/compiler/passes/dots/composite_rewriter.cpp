#include "core/compiler/passes/dots/composite_rewriter.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/analysis/async_op.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

// Contracting dimensions of the left and the right, then batch dimensions.
using DimensionLists = std::array<std::vector<int64_t>, 4>;

// Of "{dimension_numbers = [[[1], [1]], [[0], [0]]]}"; nullopt where it is no such text.
std::optional<DimensionLists> dimensionNumbers(std::string_view text) {
  const size_t at = text.find("dimension_numbers");
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at);
  text.remove_prefix(std::min(text.find('['), text.size()));
  DimensionLists lists;
  size_t closed = 0;
  int depth = 0;
  for (size_t k = 0; k < text.size();) {
    const char c = text[k];
    if (c == '[' && ++depth > 3) return std::nullopt;
    if (c == ']') {
      if (depth == 3) ++closed;
      if (--depth == 0) break;
    }
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + k, text.data() + text.size(), number);
    if (error != std::errc()) {
      ++k;
      continue;
    }
    if (depth != 3 || closed >= lists.size() || number < 0) return std::nullopt;
    lists[closed].push_back(number);
    // Behind it its type may stand: "1 : i64".
    k = std::min(text.find_first_of(",]", static_cast<size_t>(end - text.data())), text.size());
  }
  return closed == lists.size() && depth == 0 ? std::optional(lists) : std::nullopt;
}

bool isBlockScaled(ElementType type) {
  return type == ElementType::F8E4M3FN || type == ElementType::F8E5M2 || type == ElementType::F4E2M1FN;
}

bool isScaleTaken(const Instruction& operand, const Instruction& scale, int64_t along) {
  const Shape of = operand.shape(), by = scale.shape();
  const auto at = static_cast<size_t>(along);
  if (!of.isArray() || !by.isArray() || at >= of.rank() || at >= by.rank()) return false;
  if (isBlockScaled(of.elementType()) && by.elementType() == ElementType::F8E8M0FNU) {
    const int64_t blocks = by.dimension(at);
    return blocks > 0 && of.dimension(at) % blocks == 0 && of.dimension(at) / blocks % 32 == 0;
  }
  return of.elementType() == ElementType::BF16 && by.elementType() == ElementType::BF16 &&
         by.rank() == of.rank() && std::ranges::all_of(by.dimensions(), [](int64_t d) { return d == 1; }) &&
         algebra::isAll(scale, 1);
}

std::optional<DimensionLists> listsOf(const Instruction& call) {
  const auto lists = dimensionNumbers(frontendAttribute(call, "composite.attributes").value_or(""));
  const bool isTaken = lists && (*lists)[0].size() == 1 && (*lists)[1].size() == 1 &&
                       (*lists)[2].size() <= 1 && (*lists)[2].size() == (*lists)[3].size();
  return isTaken ? lists : std::nullopt;
}

bool isScaledDot(const Instruction& i) {
  if (i.opcode() != Opcode::Call || !i.get<Attr::IsComposite>().value_or(false) || i.operandCount() != 4 ||
      !hasFrontendAttribute(i, "composite.name", "xla.scaled_dot"))
    return false;
  const auto lists = listsOf(i);
  return lists && isScaleTaken(*i.operand(0), *i.operand(2), (*lists)[0][0]) &&
         isScaleTaken(*i.operand(1), *i.operand(3), (*lists)[1][0]);
}

Instruction* rewritten(Instruction& call) {
  const DimensionLists lists = *listsOf(call);
  Instruction* dot = call.parent().create(Opcode::ScaledDot, call.shape(), call.operands(), {}, &call);
  setDotSide(*dot, 0, lists[2], lists[0]);
  setDotSide(*dot, 1, lists[3], lists[1]);
  if (const OpMetadata* metadata = call.get<Attr::Metadata>()) dot->set<Attr::Metadata>(metadata);
  return dot;
}

}  // namespace

Result<bool> rewriteComposites(Module& module, PassContext& context) {
  return rewriteEach(module, context, "rewritten", isScaledDot, rewritten);
}

}  // namespace hilo
