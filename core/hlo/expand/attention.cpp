// cuDNN's attention, forward.
#include <limits>

#include "core/hlo/expand/attention.h"

namespace hilo::library {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// Dimensions of one element go along all of theirs.
Result<Instruction*> spread(const Expansion& call, Instruction* value, Shape to) {
  const Shape from = value->shape();
  if (!from.isArray() || from.rank() != to.rank()) return call.refuse("adds a bias of another rank");
  std::vector<int64_t> kept, sizes;
  for (size_t d = 0; d < to.rank(); ++d) {
    if (from.dimension(d) == to.dimension(d)) {
      kept.push_back(static_cast<int64_t>(d));
      sizes.push_back(to.dimension(d));
    } else if (from.dimension(d) != 1) {
      return call.refuse(fmt::format("adds a bias of shape {}", toString(from)));
    }
  }
  Instruction* dense = call.add(Opcode::Reshape, Shape::array(to.elementType(), sizes),
                                {call.convert(value, to.elementType())});
  return call.broadcast(dense, to, kept);
}

// No key is looked at by queries before it.
Instruction* causal(const Expansion& call, Instruction* scores) {
  const Shape places = scores->shape().withElementType(ElementType::S32);
  const auto rank = static_cast<int64_t>(places.rank());
  const auto along = [&](int64_t dimension) {
    Instruction* iota = call.add(Opcode::Iota, places, {});
    iota->set<Attr::IotaDimension>(dimension);
    return iota;
  };
  Instruction* isBefore = call.add(Opcode::Compare, places.withElementType(ElementType::Pred),
                                   {along(rank - 2), along(rank - 1)});
  isBefore->set<Attr::Direction>(ComparisonDirection::Lt);
  return call.add(Opcode::Select, scores->shape(), {isBefore, call.splat(scores->shape(), kNothing), scores});
}

struct Softmax {
  Instruction *weights, *logOfSum;
};

Softmax softmaxOfRows(const Expansion& call, Instruction* scores) {
  const auto last = static_cast<int64_t>(scores->shape().rank()) - 1;
  std::vector<int64_t> rows;
  for (int64_t d = 0; d < last; ++d) rows.push_back(d);
  const auto alongRows = [&](Instruction* value) { return call.broadcast(value, scores->shape(), rows); };
  Instruction* top = call.reduce(scores, std::array{last}, Opcode::Maximum, kNothing);
  Instruction* shares =
      call.unary(Opcode::Exponential, call.binary(Opcode::Subtract, scores, alongRows(top)));
  Instruction* sum = call.reduce(shares, std::array{last}, Opcode::Add, 0);
  return {call.binary(Opcode::Divide, shares, alongRows(sum)),
          call.binary(Opcode::Add, top, call.unary(Opcode::Log, sum))};
}

Status checkForm(const Expansion& call, const CallConfig& config) {
  const std::string mask = config.text("mask_type", "NO_MASK");
  if (mask != "NO_MASK" && mask != "CAUSAL") return call.refuse(fmt::format("has mask {}", mask));
  if (config.number("dropout_rate", 0) != 0) return call.refuse("drops weights at random");
  if (config.number("sliding_window_length", 0) != 0) return call.refuse("looks through a sliding window");
  if (config.number("max_seg_per_batch", 1) > 1) return call.refuse("packs several sequences in one");
  if (config.flag("is_paged_attention", false)) return call.refuse("reads pages");
  if (!call.call().calledComputations().empty()) return call.refuse("applies a computation to its scores");
  return {};
}

}  // namespace

Instruction* wide(const Expansion& call, size_t operand) {
  return call.convert(call.operand(operand), ElementType::F32);
}

Result<CallConfig> readAttention(const Expansion& call) {
  TRY(const CallConfig whole, call.config());
  const CallConfig config = whole.part("cudnn_fmha_backend_config");
  TRY_STATUS(checkForm(call, config));
  return config;
}

Result<Instruction*> scoresOf(const Expansion& call, const CallConfig& config, const Gemm& product,
                              Instruction* bias) {
  const auto sizes = config.part("intermediate_tensor_shape").dimensions("dimensions");
  if (!sizes || sizes->size() < 2) return call.malformed("has no intermediate_tensor_shape");
  TRY(Instruction * scores,
      productOf(call, product, wide(call, 0), wide(call, 1), Shape::array(ElementType::F32, *sizes)));
  scores = call.binary(Opcode::Multiply, scores, call.splat(scores->shape(), config.number("fmha_scale", 1)));
  if (bias != nullptr) {
    TRY(Instruction * spreadBias, spread(call, bias, scores->shape()));
    scores = call.binary(Opcode::Add, scores, spreadBias);
  }
  return config.text("mask_type", "NO_MASK") == "CAUSAL" ? causal(call, scores) : scores;
}

namespace {

Result<Instruction*> expandAttention(const Expansion& call, bool addsBias) {
  TRY_STATUS(call.needsArrays(3 + addsBias, 3 + addsBias));
  TRY_STATUS(call.needsResults(1, 3));
  TRY(const CallConfig config, readAttention(call));
  TRY(const Gemm first, readDimensions(call, config.part("bmm1_dot_dimension_numbers")));
  TRY(const Gemm second, readDimensions(call, config.part("bmm2_dot_dimension_numbers")));
  TRY(Instruction * scores, scoresOf(call, config, first, addsBias ? call.operand(3) : nullptr));
  const Softmax softmax = softmaxOfRows(call, scores);
  const ElementType type = call.result(0).elementType();
  TRY(Instruction * made, productOf(call, second, softmax.weights, wide(call, 2),
                                    call.result(0).withoutLayout().withElementType(ElementType::F32)));
  std::vector<Instruction*> given = {call.convert(made, type)};
  if (call.resultCount() == 3) given.push_back(softmax.logOfSum);
  return call.give(std::move(given));
}

}  // namespace

// Operands: Q, K, V. Results: the output; for training the logarithms of sums; workspace.
Result<Instruction*> expandAttentionSoftmax(Expansion& call) { return expandAttention(call, false); }
// The same with a bias behind V.
Result<Instruction*> expandAttentionBias(Expansion& call) { return expandAttention(call, true); }

}  // namespace hilo::library
