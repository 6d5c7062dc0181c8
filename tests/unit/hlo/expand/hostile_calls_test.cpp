// Calls of libraries in modules that were not verified: whatever their operands, results and configuration
// are, an expansion is made or refused.
#include <gtest/gtest.h>

#include <random>

#include "core/hlo/expand/library_calls.h"
#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

constexpr const char* kTargets[] = {
#define LIBRARY_CALL(target, function) target,
#include "core/hlo/expand/library_calls.def"
};

constexpr const char* kConfigs[] = {
    "",
    "{}",
    R"({"descending":true})",
    R"({"gemm_backend_config":{"alpha_real":1,"beta":1,"epilogue":"BIAS","dot_dimension_numbers":{)"
    R"("lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]}}})",
    R"({"gemm_backend_config":{"alpha_real":1,"beta":0,"epilogue":"DEFAULT","dot_dimension_numbers":{)"
    R"("lhs_contracting_dimensions":["2"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":["0"]}}})",
    R"({"cudnn_conv_backend_config":{"activation_mode":"kRelu","conv_result_scale":1,"side_input_scale":1}})",
    R"({"cudnn_norm_backend_config":{"epsilon":1,"kind":"LAYER_FWD_INFER"}})",
    R"({"cudnn_fmha_backend_config":{"fmha_scale":1,"mask_type":"NO_MASK"}})",
    "{lower = true, is_lower = false, uplo = 76 : ui8, full_matrices = false, compute_uv = true}"};

class HostileCall {
 public:
  explicit HostileCall(uint64_t seed) : random_(seed) {}

  void expand(const char* target) {
    Module module("hostile");
    Computation* entry = module.createComputation("main");
    module.setEntry(entry);
    std::vector<Instruction*> operands;
    for (size_t n = below(7); operands.size() < n;)
      operands.push_back(entry->createParameter(static_cast<int64_t>(operands.size()), shape(1)));
    Instruction* call = entry->create(Opcode::CustomCall, shape(0), operands, "call");
    call->set<Attr::CustomCallTarget>(target);
    if (const std::string_view config = kConfigs[below(std::size(kConfigs))]; !config.empty())
      call->set<Attr::BackendConfig>(config);
    entry->setRoot(call);
    const auto expanded = expandedAlone(*call);
    made += expanded.has_value();
    if (!expanded) EXPECT_FALSE(expanded.error().message.empty());
  }
  int made = 0;

 private:
  size_t below(size_t count) { return random_() % count; }
  Shape shape(int depth) {
    if (depth < 3 && below(depth == 0 ? 2 : 8) == 0) {
      std::vector<Shape> parts(below(4));
      for (Shape& part : parts) part = shape(depth + 1);
      return Shape::tuple(parts);
    }
    constexpr ElementType kTypes[] = {ElementType::F32,  ElementType::F32, ElementType::F64,
                                      ElementType::C64,  ElementType::S32, ElementType::U8,
                                      ElementType::Pred, ElementType::BF16};
    if (below(12) == 0) return Shape::token();
    if (below(24) == 0) return Shape::opaque();
    std::vector<int64_t> sizes(below(5));
    for (int64_t& size : sizes) size = std::array<int64_t, 5>{0, 1, 2, 3, 4}[below(5)];
    const Shape made = Shape::array(kTypes[below(std::size(kTypes))], sizes);
    return below(2) == 0 ? made : made.withDefaultLayout();
  }

  std::mt19937_64 random_;
};

TEST(HostileCalls, AreExpandedOrRefused) {
  HostileCall calls(1);
  for (const char* target : kTargets) {
    SCOPED_TRACE(target);
    for (int n = 0; n < 3000; ++n) calls.expand(target);
  }
  EXPECT_GT(calls.made, 100);
}

}  // namespace
}  // namespace hilo
