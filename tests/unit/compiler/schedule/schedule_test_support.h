// Modules from text, and where the scheduler put what.
#pragma once

#include <gtest/gtest.h>

#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/schedule/latency_hiding_scheduler.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"

namespace hilo {

inline std::unique_ptr<Module> scheduledModule(const std::string& text) {
  ParseOptions options;
  options.inferShape = inferShape;
  auto module = parseModuleStrictly(text, options);
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  return module ? std::move(*module) : nullptr;
}

// Place in its computation's order; fails the test when there is no such instruction.
inline int positionOf(const Module& module, std::string_view name) {
  const Instruction* instruction = module.findInstruction(name);
  EXPECT_NE(instruction, nullptr) << name;
  if (instruction == nullptr) return -1;
  int position = 0;
  for (const Instruction* i : instruction->parent().instructions()) {
    if (i == instruction) return position;
    ++position;
  }
  return -1;
}

// Every name after the one before it.
inline void expectOrder(const Module& module, std::initializer_list<std::string_view> names) {
  const std::string_view* before = nullptr;
  for (const std::string_view& name : names) {
    if (before != nullptr) {
      EXPECT_LT(positionOf(module, *before), positionOf(module, name)) << *before << " before " << name;
    }
    before = &name;
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

// Schedules, and checks that the log replays to the order.
inline LatencyHidingResult scheduleAndCheck(Module& module, LatencyHidingRequest request = {}) {
  request.keepLog = true;
  Result<LatencyHidingResult> result = scheduleToHideLatency(module, request);
  EXPECT_TRUE(result) << (result ? "" : toString(result.error()));
  if (!result) return {};
  expectValidOrders(module);
  for (const DecisionLog& log : result->logs) {
    std::vector<InstructionId> order;
    for (const Instruction* i : module.computation(log.computation)->instructions()) order.push_back(i->id());
    EXPECT_EQ(replay(log), order);
  }
  return *std::move(result);
}

}  // namespace hilo
