#include "core/hlo/ir/opcode.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>

#include "core/base/enum_table.h"
#include "core/base/text_hash.h"

namespace hilo {
namespace {

struct Row {
  std::string_view name;
  int arity;
  OpcodeClass opcodeClass;
  std::array<Attr, 16> attributes;
  size_t attributeCount;
};

template <typename... A>
constexpr Row makeRow(std::string_view name, int arity, OpcodeClass opcodeClass, A... attributes) {
  static_assert(sizeof...(A) <= 16);
  return {name, arity, opcodeClass, {attributes...}, sizeof...(A)};
}

constexpr std::array<Row, kOpcodeCount> makeRows() {
  using enum Attr;
  using Class = OpcodeClass;
  return {
#define OP(name, text, arity, klass, ...) makeRow(text, arity, Class::klass __VA_OPT__(, ) __VA_ARGS__),
#include "core/hlo/ir/ops.def"
  };
}
constexpr std::array<Row, kOpcodeCount> kRows = makeRows();

const Row& row(Opcode opcode) { return kRows[static_cast<size_t>(opcode)]; }

constexpr EnumTable<OpcodeClass, std::string_view> kClassNames(
    {"elementwise-unary", "elementwise-binary", "elementwise-ternary", "data-movement", "contraction",
     "reduction", "collective", "communication", "control-flow", "fusion", "custom-call", "async", "random",
     "tuple", "leaf", "ordering"});

}  // namespace

std::string_view opcodeName(Opcode opcode) { return row(opcode).name; }

std::optional<Opcode> opcodeFromName(std::string_view name) {
  static const auto* byName = [] {
    auto* map = new absl::flat_hash_map<std::string_view, Opcode, TextHash, TextEqual>;
    for (size_t i = 0; i < kRows.size(); ++i) {
      if (!kRows[i].name.empty()) map->emplace(kRows[i].name, static_cast<Opcode>(i));
    }
    return map;
  }();
  const auto found = byName->find(name);
  return found == byName->end() ? std::nullopt : std::optional(found->second);
}

std::optional<int> opcodeArity(Opcode opcode) {
  const int arity = row(opcode).arity;
  return arity < 0 ? std::nullopt : std::optional(arity);
}

OpcodeClass opcodeClass(Opcode opcode) { return row(opcode).opcodeClass; }

std::string_view opcodeClassName(OpcodeClass opcodeClass) { return kClassNames[opcodeClass]; }

std::span<const Attr> opcodeAttributes(Opcode opcode) {
  return {row(opcode).attributes.data(), row(opcode).attributeCount};
}

int attributeRank(Opcode opcode, Attr attr) {
  const auto own = opcodeAttributes(opcode);
  const auto found = std::ranges::find(own, attr);
  if (found != own.end()) return static_cast<int>(found - own.begin());
  return 100 + static_cast<int>(attr);
}

}  // namespace hilo
