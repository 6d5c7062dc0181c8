#include "core/compiler/passes/convolutions/simplify_padding.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/convolutions/cudnn_calls.h"
#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

bool isZeroPad(const Instruction& i) { return i.opcode() == Opcode::Pad && algebra::isAll(*i.operand(1), 0); }

// How many features at the end every element of the constant is zero for.
int64_t trailingZeros(const Instruction& constant, size_t feature) {
  const Shape shape = constant.shape();
  const Literal& literal = constant.literal();
  if (literal.isElided() || shape.elementCount() == 0) return 0;
  const auto bytes = literal.bytes();
  const auto size = static_cast<size_t>(elementStorageBytes(shape.elementType()));
  int64_t inner = 1;
  for (size_t d = feature + 1; d < shape.rank(); ++d) inner *= shape.dimension(d);
  int64_t last = -1;  // the last feature with an element that is not zero
  for (int64_t k = 0; k < shape.elementCount(); ++k) {
    const auto element = bytes.subspan(static_cast<size_t>(k) * size, size);
    const bool isZero = std::ranges::all_of(element, [](std::byte byte) { return byte == std::byte{0}; });
    if (!isZero) last = std::max(last, k / inner % shape.dimension(feature));
  }
  return shape.dimension(feature) - 1 - last;
}

// Features of the result that are zero, at the end.
int64_t zeroFeatures(const Instruction& call) {
  const Instruction& filter = *call.operand(1);
  const auto feature = static_cast<size_t>(call.get<Attr::DimLabels>()->kernelOutputFeature);
  if (isZeroPad(filter)) return filter.get<Attr::Padding>()[feature].high;
  return filter.opcode() == Opcode::Constant && filter.shape().isArray() ? trailingZeros(filter, feature) : 0;
}

// The convolution behind pad(slice(element 0 of it)); null where there is none.
const Instruction* convolutionBehind(const Instruction& pad) {
  if (!isZeroPad(pad) || pad.operand(0)->opcode() != Opcode::Slice) return nullptr;
  const Instruction& element = *pad.operand(0)->operand(0);
  if (element.opcode() != Opcode::GetTupleElement || element.tupleIndex() != 0) return nullptr;
  const Instruction& call = *element.operand(0);
  const bool isForward = isCudnnConvolution(call) &&
                         (call.get<Attr::CustomCallTarget>() == kConvForward ||
                          call.get<Attr::CustomCallTarget>() == kConvBiasActivation) &&
                         call.operandCount() >= 2 && call.get<Attr::DimLabels>() != nullptr;
  return isForward ? &call : nullptr;
}

// How many features the slice cuts off; nullopt where it cuts something else.
std::optional<int64_t> cutFeatures(const Instruction& slice, size_t feature) {
  const auto ranges = slice.get<Attr::Slice>();
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (ranges[d].start != 0 || ranges[d].stride != 1 ||
        (d != feature && ranges[d].limit != slice.operand(0)->shape().dimension(d)))
      return std::nullopt;
  }
  return slice.operand(0)->shape().dimension(feature) - ranges[feature].limit;
}

// A bias makes features of its own, and so does an activation that is not zero at zero.
bool keepsZeros(const Instruction& call) {
  if (call.get<Attr::CustomCallTarget>() == kConvForward) return true;
  return call.operandCount() == 3 && algebra::isAll(*call.operand(2), 0) &&
         call.get<Attr::BackendConfig>().find("kSigmoid") == std::string_view::npos;
}

bool isSimplifiable(const Instruction& pad) {
  const Instruction* call = convolutionBehind(pad);
  if (call == nullptr || !keepsZeros(*call)) return false;
  const auto feature = static_cast<size_t>(call->get<Attr::DimLabels>()->outputFeature);
  const auto cut = cutFeatures(*pad.operand(0), feature);
  return cut && *cut > 0 && pad.get<Attr::Padding>()[feature].interior == 0 && *cut <= zeroFeatures(*call);
}

Instruction* simplified(Instruction& pad) {
  const auto feature = static_cast<size_t>(convolutionBehind(pad)->get<Attr::DimLabels>()->outputFeature);
  std::vector<PaddingDimension> padding(pad.get<Attr::Padding>().begin(), pad.get<Attr::Padding>().end());
  padding[feature].high -= *cutFeatures(*pad.operand(0), feature);
  Instruction* made = pad.parent().createLike(pad, {{pad.operand(0)->operand(0), pad.operand(1)}}, &pad);
  made->set<Attr::Padding>(padding);
  return made;
}

}  // namespace

Result<bool> simplifyCudnnPadding(Module& module, PassContext& context) {
  return rewriteEach(module, context, "simplified", isSimplifiable, simplified);
}

}  // namespace hilo
