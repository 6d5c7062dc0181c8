// The steps of matchModules(); see module_matching.h for what they are and their order.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <functional>
#include <optional>

#include "core/analysis/diff/module_matching.h"
#include "core/analysis/diff/name_trust.h"
#include "core/analysis/diff/subgraph_fingerprints.h"
#include "core/analysis/diff/tuple_elements.h"

namespace hilo {

class Matcher {
 public:
  Matcher(const Module& before, const Module& after);
  ModuleMatching run(bool sharedIds);

 private:
  // What an instruction is, given what its operands are.
  struct StructureKey {
    Opcode opcode;
    Shape shape;
    int64_t element = 0;                  // of a get-tuple-element: before's index
    size_t called = 0;                    // fingerprints of what is called
    std::vector<InstructionId> operands;  // of the before module
    friend bool operator==(const StructureKey&, const StructureKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const StructureKey& key) {
      return H::combine(std::move(h), key.opcode, key.shape, key.element, key.called, key.operands);
    }
  };
  // What an instruction is for the person who wrote the program.
  struct OriginKey {
    Opcode opcode;
    Shape shape;
    absl::string_view opName;
    friend bool operator==(const OriginKey&, const OriginKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const OriginKey& key) {
      return H::combine(std::move(h), key.opcode, key.shape, key.opName);
    }
  };
  // Exact: also what is called is equal. Strict: shapes and attributes agree. Loose: another shape or
  // attribute is a change of the same thing.
  enum class Tier : uint8_t { Exact, Strict, Loose };
  template <typename Key>
  using Candidates = absl::flat_hash_map<Key, std::deque<const Instruction*>>;

  bool isOpenBefore(const Instruction& i) const { return !matching_.after(i).valid(); }
  bool isOpenAfter(const Instruction& i) const { return !matching_.before(i).valid(); }
  bool bothOpen(const Instruction& b, const Instruction& a) const {
    return isOpenBefore(b) && isOpenAfter(a);
  }
  const Instruction* partner(const Instruction& b) const { return after_.instruction(matching_.after(b)); }
  bool arePartners(const Instruction& b, const Instruction& a) const { return matching_.after(b) == a.id(); }
  void pair(const Instruction& b, const Instruction& a);
  // False when either has a partner already. A new pair waits to be looked into.
  bool pair(const Computation* b, const Computation* a);

  void matchById();
  // Pairs of computations found on the way join the queue.
  void matchWaiting();
  void matchWithin(const Computation& b, const Computation& a);
  void matchParameters(const Computation& b, const Computation& a);
  void matchParametersByCaller(const Computation& b, const Computation& a);
  void matchParametersByName(const Computation& b, const Computation& a);
  void matchParametersInOrder(const Computation& b, const Computation& a);
  void matchEqualSubgraphs(const Computation& b, const Computation& a);
  void matchOnOperands(const Computation& b, const Computation& a, Tier tier, bool withNames);
  void matchFromUsers(const Computation& b, const Computation& a, Tier tier);
  void matchByOrigin(const Computation& b, const Computation& a, Tier tier);
  void pairCallees(const Computation& b);
  void pairComputationsByName();
  void pairEqualComputations();

  void matchAcross();
  void matchNamesAcross();
  bool matchAcrossOnOperands();
  void matchAcrossByOrigin();
  void matchAcrossFromUsers();
  void matchAcrossLoosely();
  void matchReplaced();
  const Instruction* replacementOf(const Instruction& b) const;
  bool tookThePlaceOf(const Instruction& b, const Instruction& a) const;

  // The first candidate of the key with the same opcode (and, strictly, the same attributes); one of the same
  // op_name, or name, is preferred.
  using AlsoSame = std::function<bool(const Instruction& b, const Instruction& a)>;
  template <typename Key>
  void takeFrom(Candidates<Key>& open, const std::optional<Key>& key, const Instruction& a, Tier tier,
                const AlsoSame& alsoSame = {}) {
    if (!key) return;
    const auto found = open.find(*key);
    if (found == open.end()) return;
    const std::optional<size_t> chosen = choose(found->second, a, tier, alsoSame);
    if (!chosen) return;
    pair(*found->second[*chosen], a);
    found->second.erase(found->second.begin() + static_cast<std::ptrdiff_t>(*chosen));
  }
  std::optional<size_t> choose(const std::deque<const Instruction*>& candidates, const Instruction& a,
                               Tier tier, const AlsoSame& alsoSame) const;
  OriginKey originOf(const Instruction& i, Tier tier) const;
  const Instruction* ofSameName(const Computation& b, const Instruction& i, Tier tier) const;
  bool mayBeSameByName(const Instruction& b, const Instruction& a, Tier tier) const;
  bool operandsAgree(const Instruction& b, const Instruction& a) const;
  // The after module's instruction of that name; null when there is none.
  const Instruction* namedAfter(std::string_view name) const;

  const Module& before_;
  const Module& after_;
  ModuleMatching matching_;
  ThroughCalls throughBefore_, throughAfter_;
  TupleElements elements_;
  std::optional<SubgraphFingerprints> printsBefore_, printsAfter_;
  std::optional<NameTrust> trust_;
  absl::flat_hash_map<absl::string_view, const Instruction*> namedBefore_, namedAfter_;
  std::deque<std::pair<const Computation*, const Computation*>> waiting_;
  // By before's computation: the instructions it was paired through.
  absl::flat_hash_map<const Computation*, std::pair<const Instruction*, const Instruction*>> callers_;
};

// Parameters are placed by their number, tuples by their users: alone they say too little to be matched far
// from where they were.
bool saysEnough(const Instruction& i);
// Neither op_name denies that the two are the same.
bool opNamesAgree(const Instruction& b, const Instruction& a);

}  // namespace hilo
