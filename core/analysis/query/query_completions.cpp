#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/query/query.h"
#include "core/analysis/query/query_node.h"
#include "core/hlo/ir/computation.h"

namespace hilo {
namespace {

class Completer {
 public:
  Completer(const Module* module, size_t limit) : module_(module), limit_(limit) {}

  std::vector<std::string> complete(std::string_view prefix) {
    const std::string_view word = prefix.substr(prefix.find_last_of(" \t(!") + 1);
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
      completeWord(word);
    } else {
      completeValue(word.substr(0, colon), word.substr(colon + 1));
    }
    return std::move(found_);
  }

 private:
  bool full() const { return found_.size() >= limit_; }
  void offer(std::string_view start, std::string_view candidate, std::string text) {
    if (!full() && !candidate.empty() && candidate.starts_with(start) && seen_.insert(text).second)
      found_.push_back(std::move(text));
  }

  void completeWord(std::string_view word) {
    for (const QueryKeyInfo& key : queryKeyTable()) {
      offer(word, key.name, fmt::format("{}{}", key.name, key.numeric ? ">" : ":"));
    }
    for (const std::string_view op : {"and", "or", "not"}) offer(word, op, fmt::format("{} ", op));
    if (word.empty()) return;
    for (int i = 0; i < kOpcodeCount; ++i) {
      const std::string_view name = opcodeName(static_cast<Opcode>(i));
      if (!name.empty()) offer(word, name, fmt::format("opcode:{}", name));
    }
    eachInstruction([&](const Instruction& i) { offer(word, i.name(), std::string(i.name())); });
  }

  template <typename Use>
  void eachInstruction(Use use) const {
    if (module_ == nullptr) return;
    for (const Computation* computation : module_->computations()) {
      for (const Instruction* instruction : computation->instructions()) {
        if (full()) return;
        use(*instruction);
      }
    }
  }

  void completeOpcodes(std::string_view key, std::string_view start) {
    eachInstruction([&](const Instruction& i) {
      offer(start, i.opcodeText(), fmt::format("{}:{}", key, i.opcodeText()));
    });
    for (int i = 0; i < kOpcodeCount; ++i) {
      const std::string_view name = opcodeName(static_cast<Opcode>(i));
      if (!name.empty()) offer(start, name, fmt::format("{}:{}", key, name));
    }
  }

  void completeValue(std::string_view key, std::string_view start) {
    const QueryKeyInfo* info = findQueryKey(key);
    if (info == nullptr) return;
    const auto value = [&](std::string_view candidate) {
      offer(start, candidate, fmt::format("{}:{}", key, candidate));
    };
    switch (info->field) {
      case QueryField::Opcode:
      case QueryField::Operand:
      case QueryField::User:
        completeOpcodes(key, start);
        break;
      case QueryField::Name:
        eachInstruction([&](const Instruction& i) { value(i.name()); });
        break;
      case QueryField::Path: {
        const size_t arrow = start.rfind("->");
        const std::string_view before = start.substr(0, arrow == std::string_view::npos ? 0 : arrow + 2);
        const std::string_view end = start.substr(before.size());
        eachInstruction([&](const Instruction& i) {
          offer(end, i.name(), fmt::format("{}:{}{}", key, before, i.name()));
        });
        break;
      }
      case QueryField::OpName:
        eachInstruction([&](const Instruction& i) { value(i.opName()); });
        break;
      case QueryField::Target:
        eachInstruction([&](const Instruction& i) { value(i.get<Attr::CustomCallTarget>()); });
        break;
      case QueryField::Computation:
      case QueryField::In:
      case QueryField::Calls:
        if (module_ == nullptr) break;
        for (const Computation* computation : module_->computations()) value(computation->name());
        break;
      case QueryField::Type:
      case QueryField::Shape:
        for (int i = 0; i < kElementTypeCount; ++i) value(elementTypeName(static_cast<ElementType>(i)));
        break;
      case QueryField::Has:
        for (int i = 0; i < kAttrCount; ++i) value(attrName(static_cast<Attr>(i)));
        break;
      case QueryField::Is:
        for (const QueryWord& word : queryIsWords()) value(word.name);
        break;
      case QueryField::Class:
        for (int i = 0; i < kOpcodeClassCount; ++i) value(opcodeClassName(static_cast<OpcodeClass>(i)));
        break;
      default:
        break;
    }
  }

  const Module* module_;
  size_t limit_;
  std::vector<std::string> found_;
  absl::flat_hash_set<std::string> seen_;
};

}  // namespace

std::vector<std::string> queryCompletions(std::string_view prefix, const Module* module, size_t limit) {
  return Completer(module, limit).complete(prefix);
}

}  // namespace hilo
