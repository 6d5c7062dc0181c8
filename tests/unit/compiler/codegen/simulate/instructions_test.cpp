// Single instructions against values worked out by hand or by other arithmetic of the host.
#include <bit>
#include <cmath>

#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {
namespace {

// What %r0 (%rd0) holds after the lines; %r1 to %r3 (%rd1 to %rd3) are given.
template <typename T>
T result(const std::string& body, std::vector<T> in) {
  const bool isWide = sizeof(T) == 8;
  const std::string type = isWide ? "b64" : "b32", reg = isWide ? "%rd" : "%r", step = isWide ? "8" : "4";
  std::string loads;
  in.resize(4);
  for (int i = 1; i < 4; ++i)
    loads += "ld.global." + type + " " + reg + std::to_string(i) + ", [%rd9+" +
             std::to_string(i * std::stoi(step)) + "];\n";
  auto run = SimulatedRun::ofText(
      ".entry k(.param .u64 x) {\n.reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<30>;\n.reg .b64 "
      "%rd<30>;\n"
      "ld.param.u64 %rd9, [x];\n" +
      loads + body + "\nst.global." + type + " [%rd9], " + reg + "0;\nret;\n}\n");
  run.good({.kernel = "k"}, in);
  return in[0];
}
uint32_t r32(const std::string& body, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
  return result<uint32_t>(body, {0, a, b, c});
}
uint64_t r64(const std::string& body, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) {
  return result<uint64_t>(body, {0, a, b, c});
}
float f32(const std::string& body, float a = 0, float b = 0, float c = 0) {
  return std::bit_cast<float>(
      r32(body, std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b), std::bit_cast<uint32_t>(c)));
}

TEST(SimulatedInstructions, IntegersWrapOrSaturate) {
  EXPECT_EQ(r32("add.s32 %r0, %r1, %r2;", 0xffffffff, 3), 2u);
  EXPECT_EQ(r32("add.sat.s32 %r0, %r1, %r2;", 0x7fffffff, 3), 0x7fffffffu);
  EXPECT_EQ(r32("mul.hi.u32 %r0, %r1, %r2;", 0x80000001, 6), 3u);
  EXPECT_EQ(r32("mul.hi.s32 %r0, %r1, %r2;", static_cast<uint32_t>(-5), 7), 0xffffffffu);
  EXPECT_EQ(r64("cvt.u32.u64 %r1, %rd1;\nmul.wide.s32 %rd0, %r1, -3;", 7), static_cast<uint64_t>(-21));
  EXPECT_EQ(r32("mad.lo.s32 %r0, %r1, %r2, %r3;", 5, 6, 7), 37u);
  EXPECT_EQ(r32("sad.s32 %r0, %r1, %r2, %r3;", static_cast<uint32_t>(-5), 6, 7), 18u);
  EXPECT_EQ(r32("div.s32 %r0, %r1, %r2;", static_cast<uint32_t>(-7), 2), static_cast<uint32_t>(-3));
  EXPECT_EQ(r32("rem.s32 %r0, %r1, %r2;", static_cast<uint32_t>(-7), 2), static_cast<uint32_t>(-1));
  EXPECT_EQ(r32("div.u32 %r0, %r1, %r2;", 7, 0), 0xffffffffu);
}

TEST(SimulatedInstructions, CarriesGoThroughSeveralWords) {
  EXPECT_EQ(
      r32("add.cc.u32 %r4, %r1, %r2;\naddc.cc.u32 %r5, %r1, %r2;\naddc.u32 %r0, %r3, 0;", 0xffffffff, 1, 10),
      11u);
  EXPECT_EQ(r32("sub.cc.u32 %r4, %r1, %r2;\nsubc.u32 %r0, %r3, 0;", 1, 2, 10), 9u);
  EXPECT_EQ(r32("mad.lo.cc.u32 %r4, %r1, %r2, %r3;\nmadc.hi.u32 %r0, %r1, %r2, 0;", 0xffffffff, 0xffffffff,
                0xffffffff),
            0xffffffffu);
}

TEST(SimulatedInstructions, BitsAreCountedMovedAndTakenOut) {
  EXPECT_EQ(r32("popc.b32 %r0, %r1;", 0xf0f0), 8u);
  EXPECT_EQ(r32("clz.b32 %r0, %r1;", 1), 31u);
  EXPECT_EQ(r32("clz.b32 %r0, %r1;", 0), 32u);
  EXPECT_EQ(r32("brev.b32 %r0, %r1;", 1), 0x80000000u);
  EXPECT_EQ(r32("bfind.u32 %r0, %r1;", 0x400), 10u);
  EXPECT_EQ(r32("bfind.s32 %r0, %r1;", 0xffffffff), 0xffffffffu);
  EXPECT_EQ(r32("bfind.shiftamt.u32 %r0, %r1;", 0x400), 21u);
  EXPECT_EQ(r32("bfe.u32 %r0, %r1, 4, 8;", 0xabcd), 0xbcu);
  EXPECT_EQ(r32("bfe.s32 %r0, %r1, 4, 8;", 0xabcd), 0xffffffbcu);
  EXPECT_EQ(r32("bfe.s32 %r0, %r1, 28, 8;", 0x80000000), 0xfffffff8u);
  EXPECT_EQ(r32("bfi.b32 %r0, %r1, %r2, 8, 4;", 0x35, 0xffffffff), 0xfffff5ffu);
  EXPECT_EQ(r32("bmsk.clamp.b32 %r0, %r1, %r2;", 4, 8), 0xff0u);
  EXPECT_EQ(r32("shl.b32 %r0, %r1, %r2;", 1, 40), 0u);
  EXPECT_EQ(r32("shr.s32 %r0, %r1, %r2;", 0x80000000, 40), 0xffffffffu);
  EXPECT_EQ(r32("shf.l.wrap.b32 %r0, %r1, %r2, 8;", 0x11223344, 0x55667788), 0x66778811u);
  EXPECT_EQ(r32("shf.r.clamp.b32 %r0, %r1, %r2, 32;", 0x11223344, 0x55667788), 0x55667788u);
  // Bytes 1, 4 and 5, then the sign of byte 4.
  EXPECT_EQ(r32("prmt.b32 %r0, %r1, %r2, 0xc541;", 0x11223344, 0x556677f8), 0xff77f833u);
  EXPECT_EQ(r32("lop3.b32 %r0, %r1, %r2, %r3, 0xe8;", 0b1100, 0b1010, 0b1001), 0b1000u);  // the majority
  EXPECT_EQ(r32("dp4a.s32.s32 %r0, %r1, %r2, %r3;", 0xff020304, 0x01010101, 10), 18u);
  EXPECT_EQ(r32("fns.b32 %r0, %r1, 0, 2;", 0b10110), 2u);
}

TEST(SimulatedInstructions, ComparisonsKnowNaN) {
  const float nan = std::nanf("");
  const auto choose = [](const std::string& compare) {
    return "setp." + compare + ".f32 %p1, %r1, %r2;\nselp.b32 %r0, 1, 0, %p1;";
  };
  EXPECT_EQ(f32(choose("lt"), 1, nan), std::bit_cast<float>(0u));
  EXPECT_EQ(f32(choose("ltu"), 1, nan), std::bit_cast<float>(1u));
  EXPECT_EQ(f32(choose("ne"), 1, nan), std::bit_cast<float>(0u));
  EXPECT_EQ(f32(choose("neu"), 1, nan), std::bit_cast<float>(1u));
  EXPECT_EQ(r32("setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;\nselp.b32 %r0, 1, 2, %p2;", 5, 4), 2u);
  EXPECT_EQ(r32("set.lt.u32.f32 %r0, %r1, %r2;", 0, 0x3f800000), 0xffffffffu);
  EXPECT_EQ(r32("setp.lo.u32 %p1, %r1, %r2;\nselp.b32 %r0, 7, 8, %p1;", 1, 0xffffffff), 7u);
}

TEST(SimulatedInstructions, FloatsRoundAsTheyAreTold) {
  EXPECT_EQ(f32("add.rn.f32 %r0, %r1, %r2;", 1, 0x1p-24f), 1.0f);
  EXPECT_EQ(f32("add.rp.f32 %r0, %r1, %r2;", 1, 0x1p-30f), 1 + 0x1p-23f);
  EXPECT_EQ(f32("add.rz.f32 %r0, %r1, %r2;", -1, 0x1p-30f), -1 + 0x1p-24f);
  EXPECT_EQ(f32("fma.rn.f32 %r0, %r1, %r2, %r3;", 1 + 0x1p-12f, 1 + 0x1p-12f, -1), 0x1p-11f + 0x1p-24f);
  EXPECT_EQ(f32("mul.ftz.f32 %r0, %r1, %r2;", 0x1p-100f, 0x1p-40f), 0.0f);
  EXPECT_EQ(f32("mul.f32 %r0, %r1, %r2;", 0x1p-100f, 0x1p-40f), 0x1p-140f);
  EXPECT_EQ(f32("add.sat.f32 %r0, %r1, %r2;", 1, 3), 1.0f);
  EXPECT_EQ(f32("max.f32 %r0, %r1, %r2;", std::nanf(""), 3), 3.0f);
  EXPECT_TRUE(std::isnan(f32("max.NaN.f32 %r0, %r1, %r2;", std::nanf(""), 3)));
  EXPECT_EQ(std::signbit(f32("min.f32 %r0, %r1, %r2;", 0.0f, -0.0f)), true);
  EXPECT_EQ(f32("copysign.f32 %r0, %r1, %r2;", -1, 3), -3.0f);
  EXPECT_EQ(f32("ex2.approx.f32 %r0, %r1;", 3), 8.0f);
  EXPECT_EQ(f32("rsqrt.approx.f32 %r0, %r1;", 16), 0.25f);
}

TEST(SimulatedInstructions, ConversionsSaturateAndRound) {
  EXPECT_EQ(r32("cvt.rzi.s32.f32 %r0, %r1;", std::bit_cast<uint32_t>(float(-2.7f))),
            static_cast<uint32_t>(-2));
  EXPECT_EQ(r32("cvt.rni.s32.f32 %r0, %r1;", std::bit_cast<uint32_t>(float(2.5f))), static_cast<uint32_t>(2));
  EXPECT_EQ(r32("cvt.rpi.s32.f32 %r0, %r1;", std::bit_cast<uint32_t>(float(2.1f))), static_cast<uint32_t>(3));
  EXPECT_EQ(r32("cvt.rzi.u32.f32 %r0, %r1;", std::bit_cast<uint32_t>(float(-5))), static_cast<uint32_t>(0));
  EXPECT_EQ(r32("cvt.rzi.s32.f32 %r0, %r1;", std::bit_cast<uint32_t>(float(1e20f))),
            static_cast<uint32_t>(0x7fffffff));
  EXPECT_EQ(r32("cvt.rzi.s32.f32 %r0, %r1;", std::bit_cast<uint32_t>(float(std::nanf("")))),
            static_cast<uint32_t>(0));
  EXPECT_EQ(f32("cvt.rmi.f32.f32 %r0, %r1;", -2.1f), -3.0f);
  EXPECT_EQ(r32("cvt.sat.u8.s32 %r0, %r1;", 300), 255u);
  EXPECT_EQ(r32("cvt.s32.s8 %r0, %r1;", 0x180), 0xffffff80u);
  EXPECT_EQ(r32("cvt.rn.f32.u32 %r0, %r1;", 0x80000000), std::bit_cast<uint32_t>(0x1p31f));
  EXPECT_EQ(r32("cvt.rz.f32.s32 %r0, %r1;", 0x7fffffff), std::bit_cast<uint32_t>(0x1.fffffep30f));
  EXPECT_EQ(r32("cvt.rn.bf16.f32 %rs1, %r1;\ncvt.u32.u16 %r0, %rs1;", 0x3f808000), 0x3f80u);
  EXPECT_EQ(
      r32("cvt.rn.f16x2.f32 %r0, %r1, %r2;", std::bit_cast<uint32_t>(1.5f), std::bit_cast<uint32_t>(-2.0f)),
      0x3e00c000u);
  EXPECT_EQ(r32("cvt.rn.satfinite.e4m3x2.f32 %rs1, %r1, %r2;\ncvt.u32.u16 %r0, %rs1;",
                std::bit_cast<uint32_t>(1.0f), std::bit_cast<uint32_t>(1e9f)),
            0x387eu);
  EXPECT_EQ(r32("cvt.u16.u32 %rs1, %r1;\ncvt.rn.f16x2.e4m3x2 %r0, %rs1;", 0x3840), 0x3c004000u);
  EXPECT_EQ(r32("cvt.rna.tf32.f32 %r0, %r1;", 0x3f801000), 0x3f802000u);
}

TEST(SimulatedInstructions, HalvesAreAddedInPairs) {
  EXPECT_EQ(r32("add.f16x2 %r0, %r1, %r2;", 0x3c004000, 0x3c003c00), 0x40004200u);
  EXPECT_EQ(r32("fma.rn.bf16x2 %r0, %r1, %r2, %r3;", 0x40003f80, 0x40403f80, 0x3f803f80), 0x40e04000u);
  // 1 + 2^-10 + 2^-11 - 2^-31 is below the tie of two halves; in f32 it lies on it.
  EXPECT_EQ(r32("mov.b32 {%rs1, %rs2}, %r1;\nmov.b32 {%rs3, %rs4}, %r2;\nfma.rn.f16 %rs5, %rs1, %rs2, %rs3;\n"
                "cvt.u32.u16 %r0, %rs5;",
                0x0ffe3c01, 0x00003c01),
            0x3c01u);
}

TEST(SimulatedInstructions, VectorsPackAndUnpack) {
  EXPECT_EQ(r64("cvt.u32.u64 %r1, %rd1;\ncvt.u32.u64 %r2, %rd2;\nmov.b64 %rd0, {%r1, %r2};", 5, 6),
            0x600000005u);
  EXPECT_EQ(r64("mov.b64 {%r1, %r2}, %rd1;\ncvt.u64.u32 %rd0, %r2;", 0x600000005), 6u);
}

TEST(SimulatedInstructions, AtomicsGiveTheValueBefore) {
  EXPECT_EQ(r64("atom.global.add.u64 %rd0, [%rd9+8], 4;", 7), 7u);
  EXPECT_EQ(r64("atom.global.cas.b64 %rd4, [%rd9+8], 7, 9;\nld.global.u64 %rd0, [%rd9+8];", 7), 9u);
  EXPECT_EQ(r64("red.global.max.s64 [%rd9+8], -3;\nld.global.u64 %rd0, [%rd9+8];", static_cast<uint64_t>(-7)),
            static_cast<uint64_t>(-3));
  EXPECT_EQ(r32("atom.global.inc.u32 %r4, [%rd9+4], 7;\nld.global.u32 %r0, [%rd9+4];", 7), 0u);
  EXPECT_EQ(r32("atom.global.dec.u32 %r4, [%rd9+4], 7;\nld.global.u32 %r0, [%rd9+4];", 0), 7u);
  EXPECT_EQ(f32("red.global.add.f32 [%rd9+4], 0f40000000;\nld.global.b32 %r0, [%rd9+4];", 1.5f), 3.5f);
}

TEST(SimulatedInstructions, WhatIsNotSimulatedIsNamedWithItsLine) {
  const auto module = loadPtx(
      ".version 8.5\n.target sm_100a\n.address_size 64\n.entry k() {\n.reg .b32 %r<9>;\nfrobnicate.b32 %r1, "
      "2;\n"
      "tcgen05.wait::ld.sync.aligned;\nmov.u32 %r1, %warpspeed;\nret;\n}\n",
      {.file = "k.ptx"});
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().kind, "unsupported-instruction");
  EXPECT_EQ(module.error().place.line, 6u);
  ASSERT_EQ(module.error().notes.size(), 2u);
  EXPECT_EQ(module.error().notes[0].substr(0, 7), "line 7:");
  EXPECT_NE(module.error().notes[1].find("%warpspeed"), std::string::npos);
}

}  // namespace
}  // namespace hilo
