// Holds an engine to every module of the corpus, or every n-th.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "tests/conformance/corpus_cases.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {

// Prints what came of each that does not agree, and how many came to what. Fails the running test where one
// differs or fails, or none agrees; skips it where there is no corpus.
inline void judgeCorpus(const CorpusJudge& judge) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  std::map<std::string, int> counts;
  int agree = 0;
  for (const auto& path : someOf(moduleFiles(*corpus))) {
    for (const std::string& outcome : outcomesOf(path, judge)) {
      ++counts[outcome.substr(0, outcome.find(':'))];
      agree += outcome.starts_with("agree");
      if (outcome != "agree") fmt::print("{}: {}\n", path.string(), outcome);
      std::fflush(stdout);
      EXPECT_FALSE(outcome.starts_with("differ") || outcome.starts_with("fail")) << path << "\n" << outcome;
    }
  }
  for (const auto& [outcome, number] : counts) fmt::print("{:6} {}\n", number, outcome);
  for (const auto& [outcome, number] : counts) printRows(static_cast<size_t>(number));
  EXPECT_GT(agree, 0);
}

}  // namespace hilo
