// Modules written in tests: text that must parse. For tests that link the text room.
#pragma once

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {

// Of computations without the module's head. Fails the running test, and gives null, where it does not parse.
inline std::shared_ptr<Module> moduleOf(const std::string& computations) {
  auto module = parseModuleStrictly("HloModule m\n" + computations);
  if (!module) ADD_FAILURE() << toString(module.error()) << "\n" << computations;
  return module ? std::shared_ptr<Module>(*std::move(module)) : nullptr;
}

// The same beside `add`, `addf` and `max`, which reduce s32, f32 and s32; instructions alone are the entry's.
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
