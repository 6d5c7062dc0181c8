// A small scheduled module with its plan, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/memory/memory_plans.h"

namespace hilo {

// a lives to the end, b and c take turns, d is the result; the peak is where c is made of b.
constexpr const char* kPlannedModule = R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[1024] parameter(0)
  a = f32[1024] reverse(p), dimensions={0}, metadata={op_name="top/first/a"}
  b = f32[512] slice(a), slice={[0:512]}, metadata={op_name="top/second/b"}
  c = f32[512] reverse(b), dimensions={0}, metadata={op_name="top/second/c"}
  s = f32[1024] concatenate(c, c), dimensions={0}, metadata={op_name="top/first/s"}
  ROOT d = f32[1024] add(s, a)
})";

inline std::shared_ptr<const MemoryPlans> plannedModule(const char* text = kPlannedModule) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module) << toString(module.error());
  auto plans = planMemory(std::shared_ptr<const Module>(std::move(*module)), nullptr, {});
  EXPECT_TRUE(plans) << toString(plans.error());
  return std::make_shared<const MemoryPlans>(std::move(*plans));
}

inline size_t valueNamed(const MemoryPlan& plan, std::string_view name) {
  for (size_t i = 0; i < plan.profile.values.size(); ++i) {
    if (plan.profile.values[i].name == name) return i;
  }
  ADD_FAILURE() << "no value " << name;
  return 0;
}

}  // namespace hilo
