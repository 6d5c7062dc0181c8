#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

// Prints the last instruction of a computation that has parameters p (f32[4,4]), i (s32[4]) and t (a tuple)
// and the callees %add, %pred and %id.
std::string roundTrip(std::string_view instruction) {
  const std::string text = fmt::format(
      "HloModule m\n\n"
      "%add (a: f32[], b: f32[]) -> f32[] {{\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
      "  ROOT %s = f32[] add(%a, %b)\n}}\n\n"
      "%pred (c: f32[4,4]) -> pred[] {{\n  %c = f32[4,4]{{1,0}} parameter(0)\n  ROOT %k = pred[] "
      "constant(true)\n}}\n\n"
      "%id (d: f32[4,4]) -> f32[4,4] {{\n  ROOT %d = f32[4,4]{{1,0}} parameter(0)\n}}\n\n"
      "ENTRY %e (p: f32[4,4], i: s32[4]) -> f32[4,4] {{\n  %p = f32[4,4]{{1,0}} parameter(0)\n"
      "  %i = s32[4]{{0}} parameter(1)\n  %z = f32[] constant(0)\n  {}\n}}\n\n",
      instruction);
  const ParseResult result = parseModule(text);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity != Severity::kNote && diagnostic.kind != "signature-mismatch")
      return diagnostic.kind;
  }
  return printInstruction(*result.module->entry()->last());
}

TEST(AttributeText, EveryKindComesBack) {
  for (const char* text : {
           "%x = f32[4,4]{1,0} broadcast(%z), dimensions={}",
           "%x = f32[4]{0} reduce(%p, %z), dimensions={0}, to_apply=%add",
           "%x = f32[4,4]{1,0} while(%p), condition=%pred, body=%id",
           "%x = f32[2,4]{1,0} slice(%p), slice={[0:2], [0:4]}",
           "%x = f32[2,2]{1,0} slice(%p), slice={[0:4:2], [0:4:2]}",
           "%x = f32[6,5]{1,0} pad(%p, %z), padding=1_1x-1_2",
           "%x = f32[6,5]{1,0} pad(%p, %z), padding=1_1_0x0_1_1",
           "%x = f32[] pad(%z, %z), padding=",
           "%x = pred[4,4]{1,0} compare(%p, %p), direction=LT, type=TOTALORDER",
           "%x = f32[3,3]{1,0} reduce-window(%p, %z), window={size=2x2 stride=2x1 pad=0_0x0_1}, "
           "to_apply=%add",
           "%x = f32[4,4]{1,0} fusion(%p), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=%id",
           "%x = f32[4,4]{1,0} all-reduce(%p), channel_id=1, replica_groups={{0,1},{2,3}}, "
           "use_global_device_ids=true, to_apply=%add",
           "%x = f32[4,4]{1,0} all-gather(%p), replica_groups=[1,4]<=[4], dimensions={0}",
           "%x = f32[4,4]{1,0} collective-permute(%p), channel_id=3, source_target_pairs={{0,1},{1,0}}",
           "%x = f32[4,4]{1,0} custom-call(%p), custom_call_target=\"a\\\"b\", "
           "operand_layout_constraints={f32[4,4]{0,1}}, custom_call_has_side_effect=true, "
           "api_version=API_VERSION_TYPED_FFI, backend_config={\"a\": {\"b\":1}}",
           "%x = f32[4,4]{1,0} custom-call(), custom_call_target=\"c\", literal=s32[2]{0} {1, 2}, "
           "called_computations={%add, %id}, backend_config=\"not json\"",
           "%x = f32[4,4]{1,0} dot(%p, %p), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
           "operand_precision={highest,default}, algorithm=dot_bf16_bf16_f32",
           "%x = f32[4,4]{1,0} convolution(%p, %p), window={size=3 pad=1_1 lhs_dilate=2 rhs_dilate=3 "
           "rhs_reversal=1}, "
           "dim_labels=b0f_0io->b0f, feature_group_count=2, sparsity_config={lhs={sparsity=2x4 dimension=1 "
           "stride=1}}",
           "%x = f32[4,4]{1,0} copy(%p), sharding={devices=[2,1]<=[2]}, frontend_attributes={a=\"x "
           "y\",b={\"c\":1}}, "
           "control-predecessors={%i, %z}, metadata={op_type=\"t\" op_name=\"n\\'s\" source_file=\"f.py\" "
           "source_line=3 "
           "profile_type={1,2} deduplicated_name=\"d\" scheduling_name=\"s\" stack_frame_id=4}",
           "%x = f32[4,4]{1,0} copy(%p), statistics={visualizing_index=1,a=1.5,b=2}, "
           "result_accuracy={mode=highest}, "
           "origin={({\"a\" {0}}, {})}",
           "%x = f32[4,4]{1,0} exponential(%p), result_accuracy={tolerance={atol=0.5,rtol=0,ulps=2}}",
           "%x = f32[4,4]{1,0} copy(%p), origin={[synthetic_call]}",
           "%x = f32[4,4]{1,0} domain(%p), domain={kind=\"sharding\", entry={replicated}, exit={maximal "
           "device=1}}",
           "%x = f32[4,4]{1,0} cholesky(%p), lower=true",
           "%x = f32[4,4]{1,0} batch-norm-inference(%p, %i, %i, %i, %i), epsilon=1e-05, feature_index=1",
           "%x = token[] outfeed(%p, %i), outfeed_shape=f32[4,4]{1,0}, outfeed_config=\"c\"",
           "%x = f32[4,4]{1,0} rng(%z, %z), distribution=rng_uniform",
       }) {
    EXPECT_EQ(roundTrip(text), text);
  }
}

TEST(AttributeText, WhatIsNotKnownIsKeptAsWrittenWithAWarning) {
  const std::string text =
      "HloModule m, new_header={a, b}\n\nENTRY %e (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n"
      "  ROOT %x = f32[] new-op(%p), new_attribute={x=(1,2), \"}\"}, sharding={replicated}\n}\n\n";
  const ParseResult result = parseModule(text);
  ASSERT_FALSE(hasErrors(result.diagnostics));
  std::vector<std::string> kinds;
  for (const Diagnostic& diagnostic : result.diagnostics) kinds.push_back(diagnostic.kind);
  EXPECT_EQ(kinds, (std::vector<std::string>{"unknown-attribute", "unknown-opcode", "unknown-attribute"}));
  EXPECT_EQ(printModule(*result.module, PrintOptions::asRead(*result.module)), text);
}

TEST(AttributeText, RefusesWrongValues) {
  EXPECT_EQ(roundTrip("%x = f32[4,4]{1,0} copy(%p), metadata={op_name=\"a}"), "unterminated-string");
  EXPECT_EQ(roundTrip("%x = pred[4,4]{1,0} compare(%p, %p), direction=LTE"), "bad-value");
  EXPECT_EQ(roundTrip("%x = f32[4,4]{1,0} copy(%p), sharding={replicated}, sharding={manual}"),
            "duplicate-attribute");
  EXPECT_EQ(roundTrip("%x = f32[4]{0} reduce(%p, %z), dimensions={0}, to_apply=%sub"),
            "undefined-computation");
}

// XLA reads values it writes in lower case in any.
TEST(AttributeText, ValuesInAnyCase) {
  EXPECT_EQ(roundTrip("%x = f32[4,4]{1,0} dot(%p, %p), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
                      "operand_precision={HIGH,Highest}"),
            "%x = f32[4,4]{1,0} dot(%p, %p), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
            "operand_precision={high,highest}");
  EXPECT_EQ(roundTrip("%x = pred[4,4]{1,0} compare(%p, %p), direction=lt"), "bad-value");
}

TEST(AttributeText, SpaceBetweenATypeAndItsDimensions) {
  EXPECT_EQ(roundTrip("%x = f32 [4,4] {1,0} add(f32 [4,4] %p, f32[4,4] %p)"),
            "%x = f32[4,4]{1,0} add(%p, %p)");
}

}  // namespace
}  // namespace hilo
