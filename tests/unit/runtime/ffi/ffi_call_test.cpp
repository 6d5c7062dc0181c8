// Handlers of a library that knows nothing but the interface: found, asked for their version, called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/runtime/ffi/ffi_call.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Before anything looks for libraries.
const bool kEnvironmentIsSet =
    setenv("HILO_FFI_LIBRARIES", HILO_FFI_HANDLERS ":/no/such/library.so", 1) == 0 &&
    setenv("HILO_FFI_HANDLERS",
           "jax.count=count,jax.count@instantiate=countInstantiate,jax.count@prepare=countPrepare,"
           "jax.count@initialize=countInitialize,gone=noSuchSymbol,nothing",
           1) == 0;

CustomCallThunk callOf(const std::string& target, ElementType type, std::vector<int64_t> dimensions,
                       const std::string& attributes = "") {
  const CustomCallArray array{.type = type, .dimensions = dimensions, .minorToMajor = {}};
  return {.target = target,
          .backendConfig = attributes,
          .operandArrays = {array},
          .resultArrays = {array},
          .operands = {ReadSlice()},
          .results = {WriteSlice()}};
}

Result<std::shared_ptr<FfiCall>> bind(const CustomCallThunk& thunk) {
  const FfiHandler* handler = findFfiHandler(thunk.target);
  EXPECT_NE(handler, nullptr) << thunk.target;
  return FfiCall::make(thunk, "call.1", handler->host);
}

Status execute(FfiCall& call, FfiRun& run, void* operand, void* result) {
  void* const buffers[] = {operand, result};
  return call.execute(run, buffers, {.device = 3, .cancel = CancelToken()});
}

TEST(FfiCall, GivesBuffersAndTypedAttributes) {
  ASSERT_TRUE(kEnvironmentIsSet);
  const auto thunk =
      callOf("scaleShift", ElementType::F32, {3}, "{scale = 2.0 : f32, inner = {shift = -7 : i16}}");
  const auto call = bind(thunk);
  ASSERT_TRUE(call.has_value()) << toString(call.error());
  EXPECT_TRUE((*call)->canBeCaptured());
  std::vector<float> from{1, 2, 3}, to(3);
  FfiRun run;
  ASSERT_TRUE(execute(**call, run, from.data(), to.data()).has_value());
  EXPECT_THAT(to, ElementsAre(-5, -3, -1));
}

TEST(FfiCall, WhatAHandlerRefusesIsSaidWithTheInstruction) {
  const auto thunk = callOf("scaleShift", ElementType::F32, {3}, "{scale = 2.0 : f64, inner = {}}");
  const auto call = bind(thunk);
  ASSERT_TRUE(call.has_value());
  FfiRun run;
  const Status done = execute(**call, run, nullptr, nullptr);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().kind, "custom-call-failed");
  EXPECT_EQ(done.error().message, "custom call \"scaleShift\" of call.1: INVALID_ARGUMENT: scale is no f32");
  EXPECT_EQ(done.error().place.instruction, "call.1");
}

TEST(FfiCall, StagesKeepTheirStatesForTheCallAndTheRun) {
  const auto thunk = callOf("jax.count", ElementType::S64, {});
  const auto call = bind(thunk);
  ASSERT_TRUE(call.has_value()) << toString(call.error());
  std::vector<int64_t> sums;
  int64_t in = 0, sum = 0;
  for (int runs = 0; runs < 2; ++runs) {
    FfiRun run;
    for (int times = 0; times < 2; ++times) {
      ASSERT_TRUE(execute(**call, run, &in, &sum).has_value());
      sums.push_back(sum);
    }
  }
  // 11 + 101 + 1001, then one more each; the second run begins anew but for what was instantiated.
  EXPECT_THAT(sums, ElementsAre(1113, 1116, 1115, 1118));
}

TEST(FfiCall, AHandlerMayBeDoneLater) {
  const auto thunk = callOf("later", ElementType::S64, {});
  const auto call = bind(thunk);
  ASSERT_TRUE(call.has_value());
  int64_t in = 0, answer = 0;
  FfiRun run;
  ASSERT_TRUE(execute(**call, run, &in, &answer).has_value());
  EXPECT_EQ(answer, 42);
}

TEST(FfiCall, TheHostHasNoStreamAndSmallStructsAreRefused) {
  int64_t in = 0, out = 0;
  for (const auto& [target, words] :
       {std::pair("wantsStream", "UNIMPLEMENTED"),
        std::pair("smallStruct", "a struct of 32 bytes was given where 48 are needed")}) {
    const auto thunk = callOf(target, ElementType::S64, {});
    const auto call = bind(thunk);
    ASSERT_TRUE(call.has_value());
    FfiRun run;
    const Status done = execute(**call, run, &in, &out);
    ASSERT_FALSE(done.has_value());
    EXPECT_THAT(done.error().message, HasSubstr(words));
  }
}

TEST(FfiCall, OtherVersionsAndPackedTypesAreRefusedByName) {
  const auto newer = callOf("fromTheFuture", ElementType::S64, {});
  const auto refused = bind(newer);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, "ffi-version");
  EXPECT_THAT(refused.error().message, HasSubstr("version 0.99 of XLA's FFI, and this program has 0.4"));
  const auto packed = callOf("scaleShift", ElementType::S4, {8});
  const auto unpacked = bind(packed);
  ASSERT_FALSE(unpacked.has_value());
  EXPECT_EQ(unpacked.error().kind, "unsupported-type");
}

TEST(FfiHandler, WhatCannotBeTakenIsListed) {
  ASSERT_EQ(ffiLibraries().size(), 2u);
  EXPECT_FALSE(ffiLibraries()[0].refused.has_value());
  ASSERT_TRUE(ffiLibraries()[1].refused.has_value());
  EXPECT_EQ(ffiLibraries()[1].refused->kind, "ffi-not-loadable");
  std::vector<std::string> kinds;
  for (const Diagnostic& problem : ffiHandlerProblems()) kinds.push_back(problem.kind);
  EXPECT_THAT(kinds, ElementsAre("no-symbol", "malformed-ffi-handler"));
  EXPECT_EQ(findFfiHandler("noSuchTarget"), nullptr);
}

TEST(FfiHandler, WhatALibraryRegistersIsFound) {
  FfiBundle bundle{};
  EXPECT_EQ(registerFfiHandler("mine", "Host", bundle).error().kind, "ffi-malformed");
  bundle.execute = [](FfiCallFrame*) -> FfiError* { return nullptr; };
  EXPECT_EQ(registerFfiHandler("mine", "TPU", bundle).error().kind, "ffi-malformed");
  ASSERT_TRUE(registerFfiHandler("mine", "CUDA", bundle).has_value());
  const FfiHandler* mine = findFfiHandler("mine");
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(mine->host.execute, nullptr);
  EXPECT_EQ(mine->cuda.execute, bundle.execute);
}

}  // namespace
}  // namespace hilo
