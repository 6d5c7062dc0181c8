// cuDNN's convolution with a graph of elementwise work behind it, written as
//   1:[f32]conv();2:[f32]scale(1);3:[f8e4m3fn]add(2);
// number, type of the result, operation, operations it reads. What an operation reads besides is the call's
// next operand behind input and filter. 8 bit floats saturate.
#include <absl/container/flat_hash_map.h>

#include "core/base/number_text.h"
#include "core/hlo/expand/convolution.h"

namespace hilo::library {
namespace {

struct GraphStep {
  int64_t number = 0;
  ElementType type = ElementType::F32;
  std::string name;
  std::vector<int64_t> inputs;
};

// The parts between separators, without empty ones.
std::vector<std::string_view> partsOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<GraphStep> readStep(std::string_view text) {
  const size_t colon = text.find(":["), close = text.find(']'), open = text.find('(');
  if (colon == text.npos || close == text.npos || open == text.npos || close < colon || open < close ||
      !text.ends_with(')'))
    return std::nullopt;
  const auto type = elementTypeFromName(text.substr(colon + 2, close - colon - 2));
  const auto number = parseInteger(text.substr(0, colon), 64, /*isSigned=*/true);
  if (!type || !number) return std::nullopt;
  GraphStep step{.number = *number,
                 .type = *type,
                 .name = std::string(text.substr(close + 1, open - close - 1)),
                 .inputs = {}};
  for (const std::string_view input : partsOf(text.substr(open + 1, text.size() - open - 2), ',')) {
    const auto read = parseInteger(input, 64, /*isSigned=*/true);
    if (!read) return std::nullopt;
    step.inputs.push_back(*read);
  }
  return step;
}

Result<std::vector<GraphStep>> readGraph(const Expansion& call, const std::string& text) {
  std::vector<GraphStep> steps;
  for (const std::string_view part : partsOf(text, ';')) {
    const auto step = readStep(part);
    if (!step) return call.malformed(fmt::format("has a graph with \"{}\" in it", part));
    steps.push_back(*step);
  }
  if (steps.empty() || steps[0].name != "conv")
    return call.malformed("has a graph that starts with no convolution");
  return steps;
}

size_t operandsOf(std::string_view name) {
  if (name == "conv") return 0;
  return name == "relu" || name == "elu" || name == "amax" ? 1 : 2;
}

bool isNarrow(ElementType type) { return isFloat(type) && elementBits(type) == 8; }

class GraphExpansion {
 public:
  explicit GraphExpansion(Expansion& call) : call_(call) {}

  Result<Instruction*> run() {
    TRY(const ForwardConvolution forward, readConvolution(call_));
    TRY(const auto steps, readGraph(call_, forward.config.text("serialized_graph", "")));
    for (const GraphStep& step : steps) TRY_STATUS(add(step, forward));
    if (next_ != call_.operandCount()) return call_.malformed("has more operands than its graph reads");
    std::vector<Instruction*> results = {result_};
    results.insert(results.end(), maxima_.begin(), maxima_.end());
    return call_.give(results);
  }

 private:
  Status add(const GraphStep& step, const ForwardConvolution& forward) {
    TRY(const std::vector<Instruction*> operands, operandsFor(step));
    TRY(Instruction * value, valueOf(step, operands, forward));
    TRY(value, given(value, step.type));
    if (!values_.emplace(step.number, value).second) return call_.malformed("names two operations the same");
    if (step.name == "amax")
      maxima_.push_back(value);
    else
      result_ = value;
    return {};
  }

  Result<std::vector<Instruction*>> operandsFor(const GraphStep& step) {
    std::vector<Instruction*> operands;
    for (const int64_t input : step.inputs) {
      const auto found = values_.find(input);
      if (found == values_.end()) return call_.malformed("has a graph out of order");
      operands.push_back(found->second);
    }
    while (operands.size() < operandsOf(step.name)) {
      if (next_ == call_.operandCount()) return call_.malformed("has fewer operands than its graph reads");
      operands.push_back(call_.operand(next_++));
    }
    if (operands.size() != operandsOf(step.name))
      return call_.malformed(fmt::format("has too much in {}", step.name));
    if (operands.size() == 2) {
      TRY(operands[1], fitted(operands[1], operands[0]->shape()));
    }
    return operands;
  }

  // In the shape of the other operand.
  Result<Instruction*> fitted(Instruction* value, Shape shape) {
    if (!value->shape().isArray()) return call_.malformed("reads what is no array");
    value = call_.convert(value, shape.elementType());
    if (value->shape().rank() == 0) return call_.broadcastScalar(value, shape);
    if (!std::ranges::equal(value->shape().dimensions(), shape.dimensions()))
      return call_.malformed("reads an array of another shape than its result");
    return value;
  }

  Result<Instruction*> valueOf(const GraphStep& step, const std::vector<Instruction*>& x,
                               const ForwardConvolution& forward) {
    if (step.name == "conv")
      return forwardProduct(call_, forward, isNarrow(step.type) ? ElementType::F32 : step.type);
    if (step.name == "add") return call_.binary(Opcode::Add, x[0], x[1]);
    if (step.name == "scale") return call_.binary(Opcode::Multiply, x[0], x[1]);
    if (step.name == "invscale") return call_.binary(Opcode::Divide, x[0], x[1]);
    if (step.name == "min") return call_.binary(Opcode::Minimum, x[0], x[1]);
    if (step.name == "max") return call_.binary(Opcode::Maximum, x[0], x[1]);
    if (step.name == "relu") return call_.binary(Opcode::Maximum, x[0], call_.zeros(x[0]->shape()));
    if (step.name == "elu") return elu(call_, x[0]);
    if (step.name == "amax") return largestMagnitude(x[0]);
    return call_.refuse(fmt::format("has operation {} in its graph", step.name));
  }

  Instruction* largestMagnitude(Instruction* x) {
    std::vector<int64_t> all(x->shape().rank());
    for (size_t n = 0; n < all.size(); ++n) all[n] = static_cast<int64_t>(n);
    return call_.reduce(call_.unary(Opcode::Abs, x), all, Opcode::Maximum, 0);
  }

  Result<Instruction*> given(Instruction* value, ElementType type) {
    const Shape shape = value->shape();
    if (shape.elementType() == type || !isNarrow(type)) return call_.convert(value, type);
    const double largest = type == ElementType::F8E4M3FN ? 448 : type == ElementType::F8E5M2 ? 57344 : 0;
    if (largest == 0) return call_.refuse(fmt::format("gives {}", elementTypeName(type)));
    value =
        call_.add(Opcode::Clamp, shape, {call_.splat(shape, -largest), value, call_.splat(shape, largest)});
    return call_.convert(value, type);
  }

  Expansion& call_;
  absl::flat_hash_map<int64_t, Instruction*> values_;
  Instruction* result_ = nullptr;
  std::vector<Instruction*> maxima_;
  size_t next_ = 2;  // the next operand that an operation reads
};

}  // namespace

// Operands: input, filter, what the graph reads. Results: output, the largest magnitudes, workspace.
Result<Instruction*> expandConvForwardGraph(Expansion& call) {
  TRY_STATUS(call.needsOperands(2, 1000));
  TRY_STATUS(call.needsResults(2, 1000));
  return GraphExpansion(call).run();
}

}  // namespace hilo::library
