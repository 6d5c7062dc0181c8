// Modules for tests of Shardy's propagation: short notes in place of frontend attributes.
#pragma once

#include <gtest/gtest.h>

#include "core/compiler/spmd/shardy/shardy_xla.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo::sdy {

// In `text`, "@[{'a'}, {?}]" behind a parameter stands for its sharding, behind a call to Sharding likewise;
// quotes are single. The mesh is `axes`: "'a'=2, 'b'=2".
inline std::string moduleText(std::string axes, const std::string& text, int devices) {
  const auto quoted = [](std::string part, std::string_view by) {
    std::string result;
    for (char c : part) result += c == '\'' ? std::string(by) : std::string(1, c);
    return result;
  };
  std::string body;
  for (size_t at = 0; at < text.size();) {
    const size_t mark = text.find("@[", at);
    body += text.substr(at, mark - at);
    if (mark == text.npos) break;
    const size_t end = text.find_first_of("\n;", mark);
    const std::string sharding = "<@mesh, " + quoted(text.substr(mark + 1, end - mark - 1), "\\\"") + ">";
    const bool isParameter =
        body.rfind("parameter(") != body.npos && body.find('\n', body.rfind("parameter(")) == body.npos;
    body += ", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding";
    body += isParameter ? sharding + "\"}" : "_per_value<[" + sharding + "]>\"}";
    at = end;
  }
  return "HloModule m, num_partitions=" + std::to_string(devices) +
         ", frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[" + quoted(axes, "\"") + "]>}}\n" + body;
}

inline std::unique_ptr<Module> spreadModule(const std::string& text, const ShardySettings& settings = {}) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module.has_value()) << (module ? "" : toString(module.error())) << text;
  if (!module) return std::make_unique<Module>("none");
  auto own = (*module)->clone();
  const auto decisions = spreadShardy(*own, settings);
  EXPECT_TRUE(decisions.has_value()) << (decisions ? "" : toString(decisions.error()));
  return own;
}

// Of an instruction, or "<root>"; "" where it has none.
inline std::string shardingOf(const Module& module, std::string_view name) {
  const Instruction* found = name == "<root>" ? module.entry()->root() : module.findInstruction(name);
  if (found == nullptr) return "no instruction";
  const Sharding* sharding = found->get<Attr::Sharding>();
  std::string text;
  if (sharding != nullptr) appendSharding(text, *sharding);
  return text;
}

inline Diagnostic refusalOf(const std::string& text) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module.has_value()) << (module ? "" : toString(module.error())) << text;
  if (!module) return {};
  const auto decisions = spreadShardy(*(*module)->clone());
  EXPECT_FALSE(decisions.has_value()) << text;
  return decisions ? Diagnostic() : decisions.error();
}

}  // namespace hilo::sdy
