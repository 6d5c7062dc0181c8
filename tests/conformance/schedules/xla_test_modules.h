// The modules of XLA's tests of its collective pipeliner, which are not part of this repository. They are
// taken from XLA's sources when HILO_XLA_SOURCE names the folder that holds `xla/`, else from a collection
// below HILO_CORPUS whose index.csv says which file comes from which test. Tests whose module is at neither
// place are skipped.
#pragma once

#include <gtest/gtest.h>

#include <fstream>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/hlo/verify/verify.h"
#include "tests/conformance/corpus_files.h"
#include "tests/conformance/schedules/schedule_modules.h"

namespace hilo {

// The n-th raw string literal of a test in XLA's sources; empty when there is none. `test`:
// "Name" or "Suite,Name".
inline std::string literalOfTest(const std::string& source, const std::string& test, size_t n) {
  for (size_t at = source.find("\nTEST"); at != source.npos; at = source.find("\nTEST", at + 1)) {
    const size_t open = source.find('(', at), close = source.find(')', at);
    // "Suite,Test", or the test's name alone.
    std::string name = source.substr(open + 1, close - open - 1);
    std::erase_if(name, [](unsigned char c) { return std::isspace(c) != 0; });
    if (name != test && !name.ends_with("," + test)) continue;
    const size_t end = std::min(source.find("\nTEST", close), source.size());
    size_t from = close;
    for (;; --n) {
      const size_t quote = source.find("R\"", from);
      if (quote >= end) return {};
      const size_t open = source.find('(', quote);
      const std::string closing = ")" + source.substr(quote + 2, open - quote - 2) + "\"";
      const size_t last = source.find(closing, open);
      if (n == 0) return source.substr(open + 1, last - open - 1);
      from = last;
    }
  }
  return {};
}

// `file`: "xla/service/x_test.cc".
inline std::string textOfXlaTest(const std::string& file, const std::string& test, size_t n = 0) {
  if (const char* root = std::getenv("HILO_XLA_SOURCE")) {
    return literalOfTest(readCorpusFile(std::filesystem::path(root) / file), test, n);
  }
  const char* corpus = std::getenv("HILO_CORPUS");
  if (corpus == nullptr || n != 0) return {};
  for (const auto& folder : std::filesystem::directory_iterator(corpus)) {
    std::ifstream index(folder.path() / "index.csv");
    for (std::string line; std::getline(index, line);) {
      if (line.find("," + file + ",") != line.npos && line.ends_with("," + test))
        return readCorpusFile(folder.path() / line.substr(0, line.find(',')));
    }
  }
  return {};
}

inline std::unique_ptr<Module> parseXlaModule(const std::string& text) {
  ParseOptions options;
  options.inferShape = inferShape;
  auto module = parseModuleStrictly(text, options);
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  return module ? std::move(*module) : nullptr;
}

}  // namespace hilo
