#include "core/analysis/diff/name_trust.h"

#include <algorithm>

namespace hilo {
namespace {

absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

struct Seen {
  const Instruction* before = nullptr;
  const Instruction* after = nullptr;
  bool once = true;
};

// Parameters are placed by their number, tuples by their users.
bool isEvidence(const Instruction& i) {
  return i.opcode() != Opcode::Parameter && i.opcode() != Opcode::Tuple &&
         i.opcode() != Opcode::GetTupleElement;
}

}  // namespace

std::string_view nameStem(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789._");
  return end == std::string_view::npos ? name : name.substr(0, end + 1);
}

NameTrust::NameTrust(const Module& before, const SubgraphFingerprints& printsBefore, const Module& after,
                     const SubgraphFingerprints& printsAfter) {
  readLines(before, after);
  absl::flat_hash_map<size_t, Seen> seen;
  const auto note = [&](const Module& module, const SubgraphFingerprints& prints, auto side) {
    for (const Computation* c : module.computations()) {
      for (const Instruction* i : c->instructions()) {
        if (!isEvidence(*i)) continue;
        Seen& entry = seen[prints.of(*i)];
        entry.once &= entry.*side == nullptr;
        entry.*side = i;
      }
    }
  };
  note(before, printsBefore, &Seen::before);
  note(after, printsAfter, &Seen::after);
  for (const auto& [print, entry] : seen) {
    if (!entry.once || entry.before == nullptr || entry.after == nullptr) continue;
    const bool equal = entry.before->name() == entry.after->name();
    for (Evidence* evidence : {&all_, &byStem_[view(nameStem(entry.before->name()))]}) {
      ++evidence->pairs;
      evidence->equal += equal;
    }
  }
}

void NameTrust::readLines(const Module& before, const Module& after) {
  absl::flat_hash_map<absl::string_view, const Instruction*> named;
  for (const Computation* c : before.computations()) {
    for (const Instruction* i : c->instructions()) named.try_emplace(view(i->name()), i);
  }
  for (const Computation* c : after.computations()) {
    for (const Instruction* i : c->instructions()) {
      const auto found = named.find(view(i->name()));
      const bool numbered = nameStem(i->name()).size() < i->name().size();  // others are words of a program
      if (found == named.end() || !numbered || i->operandCount() == 0 || !isEvidence(*i)) continue;
      const bool equal =
          sameOpcode(*found->second, *i) && std::ranges::equal(found->second->operands(), i->operands(), {},
                                                               &Instruction::name, &Instruction::name);
      for (Evidence* evidence : {&allLines_, &linesByStem_[view(nameStem(i->name()))]}) {
        ++evidence->pairs;
        evidence->equal += equal;
      }
    }
  }
}

bool NameTrust::asLastResort(std::string_view name) const {
  const auto found = byStem_.find(view(nameStem(name)));
  return found == byStem_.end() ? all_.trusted() : found->second.trusted();
}

bool NameTrust::of(std::string_view name) const {
  for (const auto* evidence : {&byStem_, &linesByStem_}) {
    const auto found = evidence->find(view(nameStem(name)));
    if (found != evidence->end()) return found->second.trusted();
  }
  return overall();
}

}  // namespace hilo
