// The bundled training step in small: reading it, and arguments that make sense to it.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "core/hlo/text/parse.h"
#include "tests/support/test_files.h"

namespace hilo {

// Parameters and results: kWeights first moments, kWeights weights, the step, kWeights second moments; then
// labels and tokens as parameters, the gradients' norm and the loss as results.
constexpr size_t kWeights = 17;
constexpr size_t kStep = 2 * kWeights;
constexpr size_t kNorm = 3 * kWeights + 1;
constexpr size_t kLoss = kNorm + 1;
constexpr int32_t kVocabulary = 64;

inline std::unique_ptr<Module> readStep(const std::string& path) {
  auto module = parseModuleStrictly(readTestFile(path));
  EXPECT_TRUE(module.has_value());
  return std::move(*module);
}

// Weights around 0 (those called scale around 1), moments 0, any tokens.
inline std::vector<Literal> stepArguments(const Module& module) {
  std::mt19937 random(7);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module.entry()->parameters()) {
    Literal value(parameter->shape());
    const size_t index = arguments.size();
    if (index >= kWeights && index < kStep) {
      const float centre = parameter->name().contains("scale") ? 1.0f : 0.0f;
      for (float& x : value.mutableData<float>()) {
        x = centre + static_cast<float>(random() % 2001) / 5000.0f - 0.2f;
      }
    } else if (index > kStep + kWeights) {
      for (int32_t& x : value.mutableData<int32_t>()) x = static_cast<int32_t>(random() % kVocabulary);
    }
    arguments.push_back(std::move(value));
  }
  return arguments;
}

}  // namespace hilo
