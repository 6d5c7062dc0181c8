// Modules written in tests: text that must parse. For tests that link the text room.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {

// Of computations without the module's head. Fails the running test, and gives null, where it does not parse.
inline std::shared_ptr<Module> moduleOf(const std::string& computations) {
  auto module = parseModuleStrictly("HloModule m\n" + computations);
  if (!module) ADD_FAILURE() << toString(module.error()) << "\n" << computations;
  return module ? std::shared_ptr<Module>(*std::move(module)) : nullptr;
}

// `condition` and `body` of a loop over (s32[], TYPE) that counts `turns` turns from 0; `steps` make `w`, the
// next value, of `v`.
inline std::string countingLoop(std::string_view type, int turns, std::string_view steps) {
  return fmt::format(R"(
condition {{ c.s = (s32[], {0}) parameter(0)
  c.i = s32[] get-tuple-element(c.s), index=0
  turns = s32[] constant({1})
  ROOT goOn = pred[] compare(c.i, turns), direction=LT }}
body {{ s = (s32[], {0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = {0} get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  {2}
  ROOT t = (s32[], {0}) tuple(next, w) }}
)",
                     type, turns, steps);
}

// As moduleOf, beside `add`, `addf` and `max`, which reduce s32, f32 and s32; instructions alone
// are the entry's.
inline std::shared_ptr<Module> moduleWithReducers(const std::string& body) {
  static constexpr const char* kReducers = R"(
add { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b) }
addf { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
max { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] maximum(a, b) }
)";
  const bool isWhole = body.find("ENTRY") != std::string::npos;
  return moduleOf(kReducers + (isWhole ? body : "ENTRY e {\n" + body + "\n}\n"));
}

}  // namespace hilo
