// What the reader makes of PTX text, and what it says of text that is none.
#include "core/runtime/ptx/read_ptx.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

constexpr std::string_view kHeader = ".version 8.5\n.target sm_80\n.address_size 64\n";

PtxModule read(const std::string& body) {
  const auto module = readPtx(std::string(kHeader) + body, "k.ptx");
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  return module ? *module : PtxModule();
}
std::string errorOf(const std::string& body) {
  const auto module = readPtx(std::string(kHeader) + body, "k.ptx");
  return module ? "no error" : toString(module.error());
}

TEST(ReadPtx, AnInstructionIsItsFamilyAndItsModifiers) {
  const PtxModule module = read(
      ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<5>;\n.reg .b64 %rd<2>;\n.reg .pred %p<2>;\n"
      "@!%p1 ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+-16];\nret;\n}\n");
  ASSERT_EQ(module.functions.size(), 1u);
  const PtxFunction& function = module.functions[0];
  EXPECT_TRUE(function.isEntry);
  const PtxInstruction& load = function.instructions.at(0);
  EXPECT_EQ(load.op, PtxOp::Ld);
  EXPECT_EQ(load.modifiers, (std::vector<std::string>{"global", "nc", "v4", "u32"}));
  EXPECT_TRUE(load.guardNegated);
  EXPECT_EQ(function.registers[load.guard].name, "%p1");
  EXPECT_EQ(load.line, 8u);
  EXPECT_EQ(load.operands[0].parts.size(), 4u);
  EXPECT_EQ(static_cast<int64_t>(load.operands[1].bits), -16);
  EXPECT_EQ(printPtx(load, function), "@!%p1 ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1-16];");
}

TEST(ReadPtx, AFamilyIsTheLongestNameAnOpcodeBeginsWith) {
  EXPECT_EQ(ptxOpOf("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"), PtxOp::CpBulkTensor);
  EXPECT_EQ(ptxOpOf("cp.async.cg.shared.global"), PtxOp::CpAsync);
  EXPECT_EQ(ptxOpOf("bar.warp.sync"), PtxOp::BarWarp);
  EXPECT_EQ(ptxOpOf("bar.sync"), PtxOp::BarSync);
  EXPECT_EQ(ptxOpOf("adding.s32"), PtxOp::Unknown);
}

TEST(ReadPtx, NamesOfAnInnerScopeHideThoseOutside) {
  const PtxModule module = read(
      ".entry k() {\n.reg .pred p;\n{\n.reg .pred p;\n.reg .b32 x;\nsetp.eq.s32 p, x, 1;\n@p bra L;\nL:\n}\n"
      "@p bra L;\nL:\nret;\n}\n");
  const PtxFunction& function = module.functions.at(0);
  EXPECT_NE(function.instructions[1].guard, function.instructions[2].guard);
  ASSERT_EQ(function.labels.size(), 2u);
  EXPECT_EQ(function.instructions[1].operands[0].name, function.labels[0].name);
  EXPECT_EQ(function.instructions[2].operands[0].name, function.labels[1].name);
}

TEST(ReadPtx, NumbersKeepTheirBits) {
  const PtxModule module = read(
      ".entry k() {\n.reg .b32 %r<2>;\nmov.b32 %r1, 0f3F800000;\nmov.b32 %r1, -1;\nmov.b32 %r1, 0x10U;\n}\n");
  const auto& list = module.functions.at(0).instructions;
  EXPECT_EQ(list[0].operands[1].bits, 0x3F800000u);
  EXPECT_EQ(static_cast<int64_t>(list[1].operands[1].bits), -1);
  EXPECT_EQ(list[2].operands[1].bits, 16u);
}

TEST(ReadPtx, InitialValuesAreBytesAndAddresses) {
  const PtxModule module = read(
      ".global .align 8 .b8 text[3] = {104, 105, 0};\n.global .u64 pointers[2] = {generic(text), text+2};\n"
      ".const .f32 half = 0f3F000000;\n");
  ASSERT_EQ(module.variables.size(), 3u);
  EXPECT_EQ(module.variables[0].initial.size(), 3u);
  EXPECT_EQ(module.variables[0].bytes(), 3u);
  ASSERT_EQ(module.variables[1].symbols.size(), 2u);
  EXPECT_TRUE(module.variables[1].symbols[0].isGeneric);
  EXPECT_EQ(module.variables[1].symbols[1].offset, 8u);
  EXPECT_EQ(module.variables[1].symbols[1].addend, 2);
  EXPECT_EQ(module.variables[2].initial.size(), 4u);
}

TEST(ReadPtx, WhatIsPrintedReadsAsTheSame) {
  const PtxModule module = read(
      ".file 1 \"a.cu\"\n.extern .shared .align 16 .b8 pool[];\n.func (.param .b32 r) f(.param .b32 a);\n"
      ".visible .entry k(.param .u64 .ptr .global .align 16 p)\n.maxntid 128, 1, 1\n{\n.reg .b32 %r<3>;\n"
      ".loc 1 3 5\n{\n.param .b32 a;\nst.param.b32 [a], 1;\n.param .b32 r;\n"
      "call.uni (r), f, (a);\nld.param.b32 %r1, [r];\n}\nshfl.sync.down.b32 %r2, %r1, 1, 31, -1;\n$L: "
      "bra.uni $L;\n}\n");
  const std::string printed = printPtx(module);
  const auto again = readPtx(printed);
  ASSERT_TRUE(again) << toString(again.error()) << printed;
  EXPECT_EQ(printPtx(*again), printed);
}

TEST(ReadPtx, MistakesAreToldWithTheirPlace) {
  EXPECT_EQ(errorOf(".entry k() {\n mov.b32 %r1, 2;\n}\n"),
            "k.ptx:5:10: error: unknown-register: no register %r1 is declared");
  EXPECT_EQ(errorOf(".entry k() {\n bra nowhere;\n}\n"),
            "k.ptx:5:2: error: unknown-name: nothing is called nowhere");
  EXPECT_EQ(errorOf(".global .q32 x;\n"), "k.ptx:4:14: error: unknown-type: no type .q32 is known");
  EXPECT_EQ(errorOf(".entry k() {\n ret\n}\n"),
            "k.ptx:6:1: error: unexpected-token: an operand is wanted here, not '}'");
}

TEST(ReadPtx, ADotAloneEndsTheWordsOfAFunction) {
  EXPECT_EQ(errorOf(".entry s. 9.0\n"),
            "k.ptx:4:9: error: unexpected-token: the name of a directive is wanted here, not '.'");
}

TEST(ReadPtx, NestingHasABound) {
  std::string deep = ".entry k() {";
  for (int i = 0; i < 100; ++i) deep += "{";
  EXPECT_NE(errorOf(deep).find("ptx-too-deep"), std::string::npos);
  EXPECT_NE(errorOf(".global .b8 x[1] = " + std::string(100, '{')).find("ptx-too-deep"), std::string::npos);
}

TEST(ReadPtx, AnInstructionNobodyKnowsIsKept) {
  const PtxModule module = read(".entry k() {\n.reg .b32 %r<2>;\nfrobnicate.x.b32 %r1, 3;\n}\n");
  EXPECT_EQ(module.functions.at(0).instructions[0].op, PtxOp::Unknown);
  EXPECT_EQ(module.functions.at(0).instructions[0].opcode, "frobnicate.x.b32");
}

}  // namespace
}  // namespace hilo
