// cuDNN's convolutions in one dimension. Forward (1,2,3,4,5) by (1,10) in steps of 2 is (21,43); of a
// gradient (1,2) the input's is (1,10,2,20,0), and the filter's (1*1+2*3, 1*2+2*4).
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

std::string call(const std::string& target, const std::string& result, const std::vector<std::string>& shapes,
                 const std::string& attributes) {
  std::string text, operands;
  for (size_t i = 0; i < shapes.size(); ++i) {
    text += fmt::format("x{} = {} parameter({})\n", i, shapes[i], i);
    operands += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
  }
  return text + fmt::format(
                    "ROOT c = ({}, u8[0]) custom-call({}), dim_labels=b0f_0io->b0f, {}, "
                    "custom_call_target=\"__cudnn$conv{}\"",
                    result, operands, attributes, target);
}

const std::string kStep = "window={size=2 stride=2 pad=0_0}";
const std::string kInput = "f32[1,5,1] {{{1},{2},{3},{4},{5}}}", kFilter = "f32[2,1,1] {{{1}},{{10}}}",
                  kGradient = "f32[1,2,1] {{{1},{2}}}", kNothing = "u8[0] {}";

TEST(Convolution, Forward) {
  expectEval(call("Forward", "f32[1,2,1]", {"f32[1,5,1]", "f32[2,1,1]"}, kStep), {kInput, kFilter},
             {"f32[1,2,1] {{{21},{43}}}", kNothing});
}

TEST(Convolution, BackwardToTheInput) {
  expectEval(call("BackwardInput", "f32[1,5,1]", {"f32[1,2,1]", "f32[2,1,1]"}, kStep), {kGradient, kFilter},
             {"f32[1,5,1] {{{1},{10},{2},{20},{0}}}", kNothing});
  // Every place with the one before, padded by one: (1,2,3) gives (10+2, 20+3, 30).
  expectEval(call("BackwardInput", "f32[1,3,1]", {"f32[1,3,1]", "f32[2,1,1]"}, "window={size=2 pad=1_0}"),
             {"f32[1,3,1] {{{1},{2},{3}}}", kFilter}, {"f32[1,3,1] {{{12},{23},{30}}}", kNothing});
}

TEST(Convolution, BackwardToTheFilter) {
  expectEval(call("BackwardFilter", "f32[2,1,1]", {"f32[1,5,1]", "f32[1,2,1]"}, kStep), {kInput, kGradient},
             {"f32[2,1,1] {{{7}},{{10}}}", kNothing});
}

// Two channels, each with two outputs: 1*5 + 2*6 and 3*7 + 4*8; 2 * (1,2) and 3 * (3,4).
TEST(Convolution, BackwardInGroups) {
  const std::string groups = "window={size=1}, feature_group_count=2";
  expectEval(call("BackwardInput", "f32[1,1,2]", {"f32[1,1,4]", "f32[1,1,4]"}, groups),
             {"f32[1,1,4] {{{1,2,3,4}}}", "f32[1,1,4] {{{5,6,7,8}}}"}, {"f32[1,1,2] {{{17,53}}}", kNothing});
  expectEval(call("BackwardFilter", "f32[1,1,4]", {"f32[1,1,2]", "f32[1,1,4]"}, groups),
             {"f32[1,1,2] {{{2,3}}}", "f32[1,1,4] {{{1,2,3,4}}}"}, {"f32[1,1,4] {{{2,4,9,12}}}", kNothing});
}

TEST(Convolution, BiasSideInputAndActivation) {
  const auto fused = [](const std::string& mode) {
    return call("BiasActivationForward", "f32[1,3,1]", {"f32[1,3,1]", "f32[1,1,1]", "f32[1]", "f32[1,3,1]"},
                "window={size=1}, backend_config={\"cudnn_conv_backend_config\":{\"conv_result_scale\":2,"
                "\"side_input_scale\":0.5,\"leakyrelu_alpha\":0.25,\"activation_mode\":\"" +
                    mode + "\"}}");
  };
  const std::vector<std::string> operands = {"f32[1,3,1] {{{1},{2},{3}}}", "f32[1,1,1] {{{1}}}",
                                             "f32[1] {-4.5}", "f32[1,3,1] {{{1},{1},{1}}}"};
  // 2x + 0.5 - 4.5 = (-2, 0, 2).
  expectEval(fused("kNone"), operands, {"f32[1,3,1] {{{-2},{0},{2}}}", kNothing});
  expectEval(fused("kRelu"), operands, {"f32[1,3,1] {{{0},{0},{2}}}", kNothing});
  expectEval(fused("kLeakyRelu"), operands, {"f32[1,3,1] {{{-0.5},{0},{2}}}", kNothing});
  expectNear(fused("kElu"), operands, {-0.8646647, 0, 2}, 1e-6);
  EXPECT_EQ(errorKind(fused("kBandPass"), operands), "unsupported-opcode");
}

TEST(Convolution, EightBitIntegersSaturate) {
  expectEval(
      call("BiasActivationForward", "s8[1,3,1]", {"s8[1,3,1]", "s8[1,1,1]", "f32[1]"}, "window={size=1}"),
      {"s8[1,3,1] {{{100},{-100},{3}}}", "s8[1,1,1] {{{2}}}", "f32[1] {0}"},
      {"s8[1,3,1] {{{127},{-128},{6}}}", kNothing});
}

// A forward convolution of 8 bits saturates as well.
TEST(Convolution, ForwardOfEightBitsSaturates) {
  expectEval(call("Forward", "s8[1,3,1]", {"s8[1,3,1]", "s8[1,1,1]"}, "window={size=1}"),
             {"s8[1,3,1] {{{100},{-100},{3}}}", "s8[1,1,1] {{{2}}}"},
             {"s8[1,3,1] {{{127},{-128},{6}}}", kNothing});
}

std::string graphCall(const std::string& result, const std::vector<std::string>& shapes,
                      const std::string& graph) {
  return call("ForwardGraph", result, shapes,
              "window={size=1}, backend_config={\"cudnn_conv_backend_config\":{\"serialized_graph\":\"" +
                  graph + "\"}}");
}

TEST(Convolution, Graph) {
  const std::vector<std::string> shapes = {"f32[1,3,1]", "f32[1,1,1]", "f32[]", "f32[1,3,1]"};
  const std::vector<std::string> operands = {"f32[1,3,1] {{{1},{2},{3}}}", "f32[1,1,1] {{{1}}}", "f32[] 2",
                                             "f32[1,3,1] {{{-7},{-4},{1}}}"};
  // 2x + (-7,-4,1) = (-5,0,7).
  const std::string sum = "1:[f32]conv();2:[f32]scale(1);3:[f32]add(2);";
  expectEval(graphCall("f32[1,3,1]", shapes, sum), operands, {"f32[1,3,1] {{{-5},{0},{7}}}", kNothing});
  expectEval(graphCall("f32[1,3,1]", shapes, sum + "4:[f32]relu(3);"), operands,
             {"f32[1,3,1] {{{0},{0},{7}}}", kNothing});
  expectEval(graphCall("f32[1,3,1], f32[]", shapes, sum + "4:[f32]amax(3);5:[f32]max(3,1);"), operands,
             {"f32[1,3,1] {{{1},{2},{7}}}", "f32[] 7", kNothing});
  expectEval(graphCall("f8e4m3fn[1,3,1]", shapes, "1:[f32]conv();2:[f32]invscale(1);3:[f8e4m3fn]min(2);"),
             operands, {"f8e4m3fn[1,3,1] {{{-7},{-4},{1}}}", kNothing});
}

TEST(Convolution, GraphsThatAreNone) {
  const auto kindOf = [](const std::string& graph) {
    return errorKind(graphCall("f32[1,3,1]", {"f32[1,3,1]", "f32[1,1,1]", "f32[]"}, graph),
                     {"f32[1,3,1] {{{1},{2},{3}}}", "f32[1,1,1] {{{1}}}", "f32[] 2"});
  };
  EXPECT_EQ(kindOf(""), "malformed-instruction");
  EXPECT_EQ(kindOf("1:[f32]conv"), "malformed-instruction");
  EXPECT_EQ(kindOf("x:[f32]conv()"), "malformed-instruction");
  EXPECT_EQ(kindOf("1:[f32]conv();"), "malformed-instruction");                  // an operand too many
  EXPECT_EQ(kindOf("1:[f32]conv();2:[f32]scale(3);"), "malformed-instruction");  // no such operation
  EXPECT_EQ(kindOf("1:[f32]conv();2:[f32]scale(1);3:[f32]add(2);"), "malformed-instruction");
  EXPECT_EQ(kindOf("1:[f32]conv();2:[f32]scale(1);3:[f32]relu(1,2);"), "malformed-instruction");
  EXPECT_EQ(kindOf("1:[f32]conv();1:[f32]scale(1);"), "malformed-instruction");
  EXPECT_EQ(kindOf("1:[f32]conv();2:[f32]wave(1);"), "unsupported-opcode");
  EXPECT_EQ(kindOf("1:[f32]conv();2:[f8e3m4]scale(1);"), "unsupported-opcode");
}

TEST(Convolution, RefusesByName) {
  EXPECT_EQ(
      errorKind(
          call(
              "Forward", "f32[1,2,1]", {"f32[1,5,1]", "f32[2,1,1]"},
              kStep + ", backend_config={\"cudnn_conv_backend_config\":{\"reordered_int8_nchw_vect\":true}}"),
          {kInput, kFilter}),
      "unsupported-opcode");
  EXPECT_EQ(errorKind(call("Forward", "f32[2]", {"f32[1,5,1]", "f32[2,1,1]"}, kStep), {kInput, kFilter}),
            "malformed-instruction");
}

}  // namespace
}  // namespace hilo
