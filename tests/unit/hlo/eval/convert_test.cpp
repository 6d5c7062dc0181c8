#include "core/base/float_formats.h"
#include "core/hlo/eval/kernel.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

void convert(const std::string& op, const std::string& in, const std::string& out) {
  const std::string from = in.substr(0, in.find(' ')), to = out.substr(0, out.find(' '));
  expectEval("p = " + from + " parameter(0)\nROOT r = " + to + " " + op, {in}, {out});
}

TEST(EvalConvert, FloatsToIntegersTruncateAndSaturate) {
  convert("convert(p)", "f32[5] {1.9, -1.9, 300, -300, nan}", "s8[5] {1, -1, 127, -128, 0}");
  convert("convert(p)", "f32[3] {-1, 1e20, inf}", "u32[3] {0, 4294967295, 4294967295}");
  convert("convert(p)", "f64[2] {1e19, -1e19}", "s64[2] {9223372036854775807, -9223372036854775808}");
  convert("convert(p)", "f32[3] {9, -9, 3.5}", "s4[3] {7, -8, 3}");
  convert("convert(p)", "bf16[2] {5, -1}", "u2[2] {3, 0}");
}

TEST(EvalConvert, IntegersWrap) {
  convert("convert(p)", "s32[3] {300, -1, 128}", "s8[3] {44, -1, -128}");
  convert("convert(p)", "s32[3] {8, 7, -9}", "s4[3] {-8, 7, 7}");
  convert("convert(p)", "s8[1] {-1}", "u64[1] {18446744073709551615}");
  convert("convert(p)", "u8[2] {255, 6}", "u2[2] {3, 2}");
}

TEST(EvalConvert, PredAndComplex) {
  convert("convert(p)", "f32[3] {0, -0, nan}", "pred[3] {0, 0, 1}");
  convert("convert(p)", "pred[2] {1, 0}", "bf16[2] {1, 0}");
  convert("convert(p)", "f32[1] {2}", "c128[1] {(2, 0)}");
  convert("convert(p)", "c128[1] {(1.5, 2)}", "c64[1] {(1.5, 2)}");
}

TEST(EvalConvert, NarrowFloatsRoundOnce) {
  convert("convert(p)", "f64[1] {1.00390625000001}", "bf16[1] {1.0078125}");
  convert("convert(p)", "f32[3] {464, 465, -1e9}", "f8e4m3fn[3] {448, nan, -nan}");
  convert("convert(p)", "f8e5m2[2] {0.5, inf}", "f8e4m3fn[2] {0.5, nan}");
  convert("convert(p)", "f32[3] {2.5, 3.5, 100}", "f4e2m1fn[3] {2, 4, 6}");
  convert("convert(p)", "s32[1] {257}", "bf16[1] {256}");
}

TEST(EvalConvert, BitcastConvert) {
  convert("bitcast-convert(p)", "f32[2] {1, -2}", "u32[2] {1065353216, 3221225472}");
  convert("bitcast-convert(p)", "u32[1] {67305985}", "u8[1,4] {{1,2,3,4}}");
  convert("bitcast-convert(p)", "u8[1,4] {{1,2,3,4}}", "u32[1] {67305985}");
  convert("bitcast-convert(p)", "u8[1] {132}", "s4[1,2] {{4,-8}}");
  convert("bitcast-convert(p)", "s4[1,2] {{4,-8}}", "u8[1] {132}");
  convert("bitcast-convert(p)", "bf16[2] {1, -0}", "s16[2] {16256, -32768}");
}

TEST(EvalConvert, ReducePrecision) {
  // 1.0009765625 = 1 + 2^-10 ties to 1 with 9 mantissa bits; 65536 exceeds five exponent bits.
  convert("reduce-precision(p), exponent_bits=8, mantissa_bits=9", "f32[2] {1.0009765625, 1.001953125}",
          "f32[2] {1, 1.001953125}");
  convert("reduce-precision(p), exponent_bits=5, mantissa_bits=10", "f32[4] {65504, 65536, 1e-10, nan}",
          "f32[4] {65504, inf, 0, nan}");
  convert("reduce-precision(p), exponent_bits=4, mantissa_bits=3", "bf16[2] {240, 1.03125}",
          "bf16[2] {240, 1}");
}

TEST(EvalConvert, StochasticConvertComparesTheFractionWithTheRandomNumber) {
  expectEval("p = f32[4] parameter(0)\nu = u32[4] parameter(1)\nROOT r = s8[4] stochastic-convert(p, u)",
             {"f32[4] {1.5, 1.5, -1.5, 200}", "u32[4] {2147483647, 2147483648, 0, 0}"},
             {"s8[4] {2, 1, -2, 127}"});
}

// Runs of elements, which go another way than a single one of NarrowFloat.
template <typename Narrow, typename Wide>
void expectRoundedAsOne(ElementType to, ElementType from, const std::vector<Wide>& values) {
  std::vector<Narrow> got(values.size());
  convertElements(got.data(), to, values.data(), from, static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(got[i].bits, Narrow(values[i]).bits) << elementTypeName(to) << " of " << values[i];
}

TEST(ConvertRuns, CommonNarrowTypesRoundAsTheirDefinition) {
  std::vector<float> floats;
  std::vector<double> doubles;
  // Every sign and exponent, with mantissas about where it rounds.
  for (uint32_t high = 0; high < 512; ++high) {
    for (const uint32_t kept : {0u, 1u, 2u, 0x3fu, 0x7eu, 0x7fu}) {
      for (const uint32_t rest :
           {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xf000u, 0xffffu}) {
        floats.push_back(std::bit_cast<float>(high << 23 | kept << 16 | rest));
        const double wide = floats.back();
        doubles.push_back(wide);
        for (const uint64_t by :
             {~uint64_t{0}, uint64_t{1}, uint64_t{1} << 20})  // One below, one above, further above.
          doubles.push_back(std::bit_cast<double>(std::bit_cast<uint64_t>(wide) + by));
      }
    }
  }
  doubles.insert(doubles.end(), {1e300, -1e300, 1e-300, -1e-300, 3.3895313892515355e38, 3.4e38});
  expectRoundedAsOne<BF16>(ElementType::BF16, ElementType::F32, floats);
  expectRoundedAsOne<F16>(ElementType::F16, ElementType::F32, floats);
  expectRoundedAsOne<BF16>(ElementType::BF16, ElementType::F64, doubles);
  std::vector<F16> halves;
  for (uint32_t bits = 0; bits < 65536; ++bits) halves.push_back(F16::fromBits(static_cast<uint16_t>(bits)));
  std::vector<float> widened(halves.size());
  convertElements(widened.data(), ElementType::F32, halves.data(), ElementType::F16, 65536);
  for (size_t i = 0; i < halves.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(widened[i]), std::bit_cast<uint32_t>(static_cast<float>(halves[i])))
        << i;
}

}  // namespace
}  // namespace hilo
