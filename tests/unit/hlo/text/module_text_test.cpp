#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

std::string asRead(const std::string& text) {
  const ParseResult result = parseModule(text);
  if (hasErrors(result.diagnostics)) return toString(result.diagnostics[0]);
  return printModule(*result.module, PrintOptions::asRead(*result.module));
}

constexpr const char* kBody = "ENTRY %e (p: f32[2]) -> f32[2] {\n  ROOT %p = f32[2]{0} parameter(0)\n}\n\n";

TEST(ModuleText, EveryHeaderFieldComesBack) {
  for (const char* header : {
           "HloModule m",
           "HloModule m, is_scheduled=true",
           "HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1,2}: (3, {4}, must-alias) }",
           "HloModule m, buffer_donor={ (0, {}), (1, {2}) }",
           "HloModule m, alias_passthrough_params=true",
           "HloModule m, entry_computation_layout={(f32[2]{0}, f32[], s32[], s8[], u8[], /*index=5*/(f32[], "
           "s32[]))->f32[2]{0}}",
           "HloModule m, entry_computation_layout={(f32[2]{0},f32[])->f32[2]{0}}",
           "HloModule m, allow_spmd_sharding_propagation_to_parameters={true,false}, "
           "allow_spmd_sharding_propagation_to_output={true}, replica_count=2, num_partitions=8",
           "HloModule m, frontend_attributes={a=\"b\",c={\"d\":1}}",
           "HloModule m,\ndebug_attributes={\n  {\"a\" {0}}:({log_mode=default,callback_id=1})\n}",
           "HloModule m, made_up=1.5",
           "HloModule m\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\\'\"\n\nFileLocations\n"
           "1 {file_name_id=1 function_name_id=1 line=2 end_line=3 column=4 end_column=5}\n\n"
           "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=1 "
           "parent_frame_id=2}\n",
           "HloModule m\n\nFileNames\n\nFunctionNames\n\nFileLocations\n\nStackFrames\n",
       }) {
    const std::string text = std::string(header) + "\n\n" + kBody;
    EXPECT_EQ(asRead(text), text);
  }
}

TEST(ModuleText, AStackFramesParentIsOneLessThanItsText) {
  const ParseResult result = parseModule(
      std::string(
          "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b.py\"\nFunctionNames\n1 \"f\"\nFileLocations\n"
          "1 {file_name_id=1 function_name_id=1 line=2 end_line=0 column=0 end_column=0}\n"
          "2 {file_name_id=2 function_name_id=1 line=7 end_line=0 column=0 end_column=0}\nStackFrames\n"
          "1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n\n") +
      kBody);
  const auto stack = sourceStack(result.module->stackFrames(), 2);
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack[0].file, "b.py");
  EXPECT_EQ(stack[1].line, 2);
}

TEST(ModuleText, EveryStyleComesBack) {
  for (const char* text : {
           // Old long form: shapes with operands, one newline at the end.
           "HloModule m\n\nENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2]{0} parameter(0)\n"
           "  ROOT %a = f32[2]{0} add(f32[2]{0} %p, f32[2]{0} %p)\n}\n",
           // Short form, with names after the braces of what is long enough.
           "HloModule m\n\nENTRY e {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] "
           "parameter(2)\n"
           "  d = f32[] parameter(3)\n  f = f32[] parameter(4)\n  ROOT t = (f32[], f32[], f32[], f32[], "
           "f32[], /*index=5*/f32[]) "
           "tuple(a, b, c, d, f, a)\n} // e\n\n",
           // Long operand lists are numbered, or not.
           "HloModule m\n\nENTRY %e (a: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
           "  ROOT %t = f32[] custom-call(%a, %a, %a, %a, %a, /*index=5*/%a), "
           "custom_call_target=\"c\"\n}\n\n",
           // JSON in quotes.
           "HloModule m\n\nENTRY %e (a: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
           "  ROOT %t = f32[] custom-call(%a), custom_call_target=\"c\", "
           "backend_config=\"{\\\"a\\\":1}\"\n}\n\n",
           // No header, no ENTRY.
           "%e (a: f32[]) -> f32[] {\n  ROOT %a = f32[] parameter(0)\n}\n",
           // Elements of tuples by number.
           "HloModule m\n\nENTRY %e (a: (f32[], (s32[], f32[]))) -> f32[] {\n  %a = (f32[], (s32[], f32[])) "
           "parameter(0)\n"
           "  ROOT %t = f32[] add(%a#0, %a#1#1)\n}\n\n",
           // Threads.
           "HloModule m\n\n%t (a: f32[]) -> f32[] {\n  ROOT %a = f32[] parameter(0)\n}, "
           "execution_thread=\"host\"\n\n"
           "ENTRY %e (b: f32[]) -> f32[] {\n  %b = f32[] parameter(0)\n  ROOT %c = f32[] call(%b), "
           "to_apply=%t\n}\n\n",
       }) {
    EXPECT_EQ(asRead(text), text);
  }
}

TEST(ModuleText, TextThatStopsShortComesBackToo) {
  const std::string text =
      "HloModule m\n\nENTRY %e (p: f32[2], q: f32[3]) -> f32[3] {\n  %p = f32[2]{0} parameter(0)\n";
  const ParseResult result = parseModule(text);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].kind, "unexpected-end");
  EXPECT_EQ(printModule(*result.module, PrintOptions::asRead(*result.module)), text);
}

TEST(ModuleText, WithoutAnEntryTheLastComputationIsIt) {
  const ParseResult result =
      parseModule(std::string("a {\n  x = f32[] parameter(0)\n}\nb {\n  y = f32[] parameter(0)\n}\n"));
  EXPECT_EQ(result.module->entry()->name(), "b");
  EXPECT_EQ(result.module->name(), "module_b");
}

TEST(ModuleText, LogPrefixesAreTakenOff) {
  const std::string plain = std::string("HloModule m\n\n") + kBody;
  for (const char* prefix :
       {"I0102 03:04:05.678901   12345 dump.cc:12] ", "2024-01-02 03:04:05.678901: I xla/dump.cc:12] "}) {
    std::string logged;
    for (size_t at = 0; at < plain.size();) {
      const size_t next = plain.find('\n', at) + 1;
      logged += prefix + plain.substr(at, next - at);
      at = next;
    }
    EXPECT_EQ(asRead(logged), plain);
  }
}

TEST(ModuleText, FilesAreCutIntoTheirModules) {
  const auto pieces = splitModules("// RUN: x\na\n// -----\n\n// only a comment\n// -----\nb\n");
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].text, "// RUN: x\na\n");
  EXPECT_EQ(pieces[1].text, "b\n");
  EXPECT_EQ(pieces[1].firstLine, 7u);
  EXPECT_EQ(splitModules("a\nb\n").size(), 1u);
}

}  // namespace
}  // namespace hilo
