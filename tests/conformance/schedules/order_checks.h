// Running the scheduler as XLA's tests do: their latency estimator, their passes in front, and where
// things ended up.
#pragma once

#include "core/analysis/async_op.h"
#include "core/analysis/cost/uniform_latency.h"
#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/passes/collectives/async_collective_creator.h"
#include "core/compiler/passes/schedule/legalize_scheduling_annotations.h"
#include "core/compiler/schedule/latency_hiding_scheduler.h"
#include "core/compiler/schedule/memory_scheduler.h"
#include "core/compiler/schedule/schedule_graph.h"
#include "tests/conformance/schedules/match.h"
#include "tests/conformance/schedules/schedule_modules.h"

namespace hilo {

// Permutes take as long as they have elements; loop fusions a unit an element, convolutions and output
// fusions a thousand.
class ElementLatencyEstimator : public LatencyEstimator {
 public:
  double nodeCost(const Instruction& i) const override {
    const bool isFusion = i.opcode() == Opcode::Fusion;
    const auto kind = i.get<Attr::FusionKindKind>();
    if (isFusion && kind == FusionKind::Loop) return i.shape().isTuple() ? 1000 : elements(i);
    if ((isFusion && kind == FusionKind::Output) || i.opcode() == Opcode::Convolution)
      return i.shape().isTuple() ? 5000 : 1000 * elements(i);
    return 1;
  }
  double latencyBetween(const Instruction& from, const Instruction& to) const override {
    const bool permute =
        from.opcode() == Opcode::CollectivePermuteStart && to.opcode() == Opcode::CollectivePermuteDone;
    return permute ? elements(*from.operand(0)) : 1;
  }

 private:
  static double elements(const Instruction& i) { return static_cast<double>(i.shape().elementCount()); }
};

// XLA's tests count a tuple as the sum of its parts, and tokens as nothing.
inline int64_t sumOfParts(Shape shape) {
  if (shape.isToken() || shape.isOpaque()) return 0;
  return shape.byteSize();
}

// XLA's tests let five permutes be in flight, and any number of sends and recvs.
inline SchedulerConfig testConfig() {
  SchedulerConfig config;
  config.collectivePermuteOverlapLimit = 5;
  config.sendRecvOverlapLimit = INT32_MAX;
  return config;
}

inline std::vector<Instruction*> sequenceOf(const Computation& computation) {
  std::vector<Instruction*> order;
  for (Instruction* i : computation.instructions()) order.push_back(i);
  return order;
}
inline Computation& computationNamed(const Module& module, std::string_view name) {
  Computation* found = module.findComputation(name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? *module.entry() : *found;
}
inline int64_t at(const Computation& computation, const Instruction* instruction) {
  const auto order = sequenceOf(computation);
  return std::ranges::find(order, instruction) - order.begin();
}
inline int64_t at(const Computation& computation, std::string_view name) {
  const Instruction* instruction = computation.find(name);
  EXPECT_NE(instruction, nullptr) << name;
  return at(computation, instruction);
}
// "a < b < c": each before the next.
inline void expectOrder(const Computation& computation, std::initializer_list<std::string_view> names) {
  const std::string_view* before = nullptr;
  for (const std::string_view& name : names) {
    if (before != nullptr)
      EXPECT_LT(at(computation, *before), at(computation, name)) << *before << " before " << name;
    before = &name;
  }
}

inline std::vector<std::string> partsOf(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

// "a < b < c": each before the next; "a << b": right before it. In whichever computation has them all.
inline bool hasOrder(const Module& module, const std::string& chain) {
  const std::vector<std::string> words = partsOf(chain, " ");
  const auto inOrder = [&](const Computation& computation) -> std::optional<bool> {
    std::optional<int64_t> before;
    bool holds = true;
    for (size_t i = 0; i < words.size(); i += 2) {
      const Instruction* term = computation.find(words[i]);
      if (term == nullptr) return std::nullopt;
      const int64_t now = at(computation, term);
      if (before) holds &= words[i - 1] == "<<" ? *before + 1 == now : *before < now;
      before = now;
    }
    return holds;
  };
  for (const Computation* computation : module.computations()) {
    if (const auto holds = inOrder(*computation)) return *holds;
  }
  ADD_FAILURE() << "no computation has all of " << chain;
  return false;
}

// Chains that all hold, between semicolons; of those between bars one holds.
inline void expectOrders(const Module& module, const std::string& orders) {
  for (const std::string& order : partsOf(orders, "; ")) {
    const auto alternatives = partsOf(order, " | ");
    EXPECT_TRUE(std::ranges::any_of(alternatives, [&](const std::string& chain) {
      return hasOrder(module, chain);
    })) << order;
  }
}

inline void expectValidOrders(const Module& module) {
  for (const Computation* computation : module.computations()) {
    std::vector<const Instruction*> order;
    for (const Instruction* i : computation->instructions()) order.push_back(i);
    const Status valid = verifyOrder(*computation, order);
    EXPECT_TRUE(valid) << (valid ? "" : valid.error().message);
  }
}

// Starts and dones, groups made legal, the latency-hiding scheduler.
inline Result<LatencyHidingResult> runScheduler(Module& module, LatencyHidingRequest request,
                                                const SchedulingAnnotationRules& rules = {},
                                                bool split = true) {
  PassContext context;
  if (split) TRY_STATUS(createAsyncCollectives(module, context));
  TRY_STATUS(legalizeSchedulingAnnotations(module, context, rules));
  TRY(auto result, scheduleToHideLatency(module, request));
  expectValidOrders(module);
  return result;
}

}  // namespace hilo
