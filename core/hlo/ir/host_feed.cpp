#include "core/hlo/ir/host_feed.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

namespace hilo {
namespace {

// What a host keeps of one run of one device.
constexpr int64_t kMostBytes = int64_t{1} << 31;

Shape bare(Shape shape) { return shape.withoutLayout(); }

// Of the entry, then of what is called from there, each once.
template <typename F>
void forEachInstruction(const Module& module, F&& f) {
  std::vector<const Computation*> reached = {module.entry()};
  absl::flat_hash_set<const Computation*> seen = {nullptr, module.entry()};
  for (size_t i = 0; i < reached.size() && reached[i] != nullptr; ++i) {
    for (const Instruction* instruction : reached[i]->instructions()) {
      f(*instruction);
      for (const Computation* called : instruction->calledComputations()) {
        if (seen.insert(called).second) reached.push_back(called);
      }
    }
  }
}

}  // namespace

Result<Literal> HostFeed::take(Shape shape, std::string_view infeed) {
  const size_t count = infeed_ == nullptr ? 0 : infeed_->values.size();
  const auto fits = [&](size_t i) { return bare(infeed_->values[i].shape()) == bare(shape); };
  if (infeed_ != nullptr && infeed_->repeats) {
    for (size_t i = 0; i < count; ++i) {
      const size_t at = (next_ + i) % count;
      if (!fits(at)) continue;
      next_ = at + 1;
      return infeed_->values[at];
    }
  }
  if (next_ >= count || infeed_->repeats) {
    return fail("infeed-empty",
                fmt::format("{}: nothing is left for it to take, of {} values for infeeds", infeed, count),
                {}, {"give a value for each infeed that runs, in their order (--infeed)"});
  }
  if (!fits(next_)) {
    return fail("wrong-argument",
                fmt::format("{} takes {}, and value {} for infeeds is {}", infeed, toString(shape), next_,
                            toString(infeed_->values[next_].shape())));
  }
  return infeed_->values[next_++];
}

Status HostFeed::give(Literal value, std::string_view outfeed) {
  // Small ones take room too.
  constexpr int64_t kLeastBytes = 64;
  outfeedBytes_ += std::max(kLeastBytes, value.shape().byteSize());
  if (outfeedBytes_ > kMostBytes)
    return fail("out-of-memory",
                fmt::format("{}: over {} bytes were given to the host", outfeed, kMostBytes));
  outfeed_.push_back(std::move(value));
  return {};
}

std::vector<Shape> infeedShapes(const Module& module) {
  std::vector<Shape> shapes;
  forEachInstruction(module, [&](const Instruction& instruction) {
    if (instruction.opcode() != Opcode::Infeed || instruction.shape().tupleShapes().empty()) return;
    const Shape shape = bare(instruction.shape().tupleShapes()[0]);
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  });
  return shapes;
}

bool hasOutfeed(const Module& module) {
  bool found = false;
  forEachInstruction(module, [&](const Instruction& i) { found |= i.opcode() == Opcode::Outfeed; });
  return found;
}

bool talksToHost(const Module& module) { return hasOutfeed(module) || !infeedShapes(module).empty(); }

Literal withOutfeed(Literal output, std::vector<Literal> outfeed) {
  std::vector<Literal> elements;
  if (output.isTuple()) {
    elements = std::move(output.mutableElements());
  } else {
    elements.push_back(std::move(output));
  }
  elements.push_back(Literal::tuple(std::move(outfeed)));
  return Literal::tuple(std::move(elements));
}

Status checkInfeeds(std::span<const InfeedValues> infeeds, int64_t devices) {
  if (infeeds.size() <= 1 || static_cast<int64_t>(infeeds.size()) == devices) return {};
  return fail("wrong-argument",
              fmt::format("values for the infeeds of {} devices, and {} run", infeeds.size(), devices));
}

}  // namespace hilo
