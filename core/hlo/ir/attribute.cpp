#include "core/hlo/ir/attribute.h"

#include <algorithm>

#include "core/hlo/ir/instruction.h"

namespace hilo {
namespace {

struct Row {
  std::string_view name;
  AttrKind kind;
};
constexpr Row kRows[] = {
#define ATTRIBUTE(name, text, kind, ...) {text, AttrKind::kind},
#include "core/hlo/ir/attributes.def"
};

}  // namespace

AttrKind attrKind(Attr attr) { return kRows[static_cast<size_t>(attr)].kind; }

std::string_view attrName(Attr attr) { return kRows[static_cast<size_t>(attr)].name; }

Domain copyInto(Arena& arena, const Domain& value) {
  return {arena.copy(value.kind), copyInto(arena, value.entry), copyInto(arena, value.exit)};
}

void AttributeList::reserve(Arena& arena, uint32_t capacity) {
  if (capacity <= capacity_) return;
  auto room = arena.allocateArray<Attribute>(capacity);
  std::uninitialized_copy(data_, data_ + count_, room.data());
  data_ = room.data();
  capacity_ = capacity;
}

void AttributeList::tellControlPredecessors(const Attribute& attribute) {
  if (attribute.key != Attr::ControlPredecessors) return;
  for (Instruction* predecessor : attr_detail::unpack<std::span<Instruction* const>>(attribute)) {
    // Only written once: a module that is being cloned may be read elsewhere.
    if (predecessor != nullptr && !predecessor->wasControlPredecessor_)
      predecessor->wasControlPredecessor_ = true;
  }
}

void AttributeList::append(Arena& arena, Attribute attribute) {
  tellControlPredecessors(attribute);
  if (count_ == capacity_) reserve(arena, std::max<uint32_t>(4, 2 * capacity_));
  data_[count_++] = attribute;
}

void AttributeList::put(Arena& arena, Attribute attribute, int (*rank)(const void*, Attr),
                        const void* context) {
  for (Attribute& a : mutableAll()) {
    if (a.key == attribute.key) {
      tellControlPredecessors(attribute);
      a = attribute;
      return;
    }
  }
  append(arena, attribute);
  const int newRank = rank(context, attribute.key);
  for (uint32_t i = count_ - 1; i > 0 && rank(context, data_[i - 1].key) > newRank; --i) {
    std::swap(data_[i], data_[i - 1]);
  }
}

void AttributeList::erase(Attr attr) {
  Attribute* end = std::remove_if(data_, data_ + count_, [&](const Attribute& a) { return a.key == attr; });
  count_ = static_cast<uint32_t>(end - data_);
}

}  // namespace hilo
