#include "core/analysis/diff/subgraph_fingerprints.h"

#include <absl/hash/hash.h>

#include <algorithm>

#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

// Of the attributes that hash cheaply; the others are told apart by sameOwnMeaning.
size_t attributeHash(const Attribute& a) {
  const auto text = [&] { return absl::string_view(static_cast<const char*>(a.pointer), a.count); };
  switch (attrKind(a.key)) {
    case AttrKind::Bool:
    case AttrKind::Int64:
    case AttrKind::Enum:
      return absl::HashOf(a.key, a.integer);
    case AttrKind::Float:
      return absl::HashOf(a.key, a.real);
    case AttrKind::String:
    case AttrKind::RawConfig:
    case AttrKind::RawBlock:
      return absl::HashOf(a.key, text());
    case AttrKind::Int64List:
      return absl::HashOf(a.key, absl::MakeConstSpan(static_cast<const int64_t*>(a.pointer), a.count));
    case AttrKind::SliceRanges: {
      size_t hash = absl::HashOf(a.key);
      for (const SliceRange& range : attr_detail::unpack<std::span<const SliceRange>>(a))
        hash = absl::HashOf(hash, range.start, range.limit, range.stride);
      return hash;
    }
    default:
      return absl::HashOf(a.key);
  }
}

size_t literalHash(const Instruction& constant) {
  if (!constant.has(Attr::Literal)) return 0;
  const auto bytes = constant.literal().bytes();
  return absl::HashOf(absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

size_t computationIdLimit(const Module& module) {
  size_t limit = 0;
  for (const Computation* c : module.computations()) limit = std::max<size_t>(limit, c->id().value + 1);
  return limit;
}

bool isOwnMeaning(Attr key) {
  if (attrKind(key) == AttrKind::Computation || attrKind(key) == AttrKind::ComputationList) return false;
  return affectsMeaning(key) && key != Attr::Sharding && key != Attr::ParameterNumber;
}

bool sameOwnMeaning(const Instruction& a, const Instruction& b) {
  const auto covers = [](const Instruction& x, const Instruction& y) {
    return std::ranges::all_of(x.attributes(), [&](const Attribute& attribute) {
      if (!isOwnMeaning(attribute.key)) return true;
      const Attribute* other = y.find(attribute.key);
      return other != nullptr && sameValue(attribute, *other);
    });
  };
  return covers(a, b) && covers(b, a);
}

bool sameOpcode(const Instruction& a, const Instruction& b) {
  return a.opcode() == b.opcode() && (a.opcode() != Opcode::Opaque || a.opcodeText() == b.opcodeText());
}

SubgraphFingerprints::SubgraphFingerprints(const Module& module, const std::vector<size_t>& entryParameters)
    : of_(module.idLimit(), 0) {
  roots_.resize(computationIdLimit(module), 0);
  for (const Computation* c : module.computations()) {
    for (const Instruction* i : c->instructions()) {
      const auto number = i->get<Attr::ParameterNumber>();
      const bool chosen = c == module.entry() && i->opcode() == Opcode::Parameter && number && *number >= 0 &&
                          static_cast<size_t>(*number) < entryParameters.size();
      of_[i->id().value] = chosen ? entryParameters[static_cast<size_t>(*number)] : compute(*i);
    }
    if (c->root() != nullptr) roots_[c->id().value] = of(*c->root());
  }
}

size_t SubgraphFingerprints::of(const Computation& computation) const {
  return absl::HashOf(roots_[computation.id().value], computation.instructionCount());
}

size_t SubgraphFingerprints::compute(const Instruction& i) const {
  size_t hash = absl::HashOf(i.opcode(), i.shape().withoutLayout());
  if (i.opcode() == Opcode::Constant) hash = absl::HashOf(hash, literalHash(i));
  if (i.opcode() == Opcode::Parameter) hash = absl::HashOf(hash, i.get<Attr::ParameterNumber>().value_or(0));
  for (const Attribute& attribute : i.attributes()) {
    if (isOwnMeaning(attribute.key)) hash = absl::HashOf(hash, attributeHash(attribute));
  }
  for (const Instruction* operand : i.operands()) hash = absl::HashOf(hash, of(*operand));
  for (const Computation* called : i.calledComputations()) hash = absl::HashOf(hash, of(*called));
  return hash;
}

}  // namespace hilo
