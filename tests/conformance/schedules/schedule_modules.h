// The modules that the tests here schedule: modules/*.hlo, small ones of our own. Each is named for the test
// of XLA's whose property it has.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/hlo/verify/verify.h"
#include "tests/support/test_files.h"

namespace hilo {

// Name -> text of every module of the folder.
inline const std::map<std::string, std::string>& scheduleModules() {
  static const auto modules = [] {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("tests/conformance/schedules/modules")) {
      const std::string text = readTestFile(entry.path().string());
      for (const ModuleText& piece : splitModules(text)) {
        const size_t from = piece.text.find("HloModule ") + 10;
        const std::string name(piece.text.substr(from, piece.text.find_first_of(", \n", from) - from));
        EXPECT_TRUE(found.emplace(name, piece.text).second) << "two modules are called " << name;
      }
    }
    return found;
  }();
  return modules;
}

// Null, and the test failed, where there is none or it is not valid.
inline std::unique_ptr<Module> moduleNamed(const std::string& name) {
  const auto text = scheduleModules().find(name);
  if (text == scheduleModules().end()) {
    ADD_FAILURE() << "no module " << name;
    return nullptr;
  }
  ParseOptions options;
  options.inferShape = inferShape;
  auto module = parseModuleStrictly(text->second, options);
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  if (!module) return nullptr;
  const Diagnostics problems = verify(**module, {});
  EXPECT_FALSE(hasErrors(problems)) << toString(problems.front());
  return std::move(*module);
}

// Adds a line to the table that docs/conformance_schedules.md shows, when HILO_CONFORMANCE_TABLE
// names a file.
inline void noteConformance(const std::string& test, const std::string& state) {
  if (const char* file = std::getenv("HILO_CONFORMANCE_TABLE"))
    std::ofstream(file, std::ios::app) << "| " << test << " | " << state << " |\n";
}

}  // namespace hilo
