#include "core/compiler/spmd/shardy/flat_header.h"

#include <deque>

#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

size_t leafCount(Shape shape) { return leavesOf(shape).size(); }

// Which leaf of a shape an index names.
size_t leafAt(Shape shape, std::span<const int64_t> index) {
  size_t leaf = 0;
  for (int64_t i : index) {
    for (int64_t before = 0; before < i; ++before)
      leaf += leafCount(shape.tupleShapes()[static_cast<size_t>(before)]);
    shape = shape.tupleShapes()[static_cast<size_t>(i)];
  }
  return leaf;
}

class FlatHeader {
 public:
  FlatHeader(Module& module, bool asOneTuple) : module_(module), asOneTuple_(asOneTuple) {}

  void flattenLayout();
  void flattenAliases();
  void flattenDonors();

 private:
  // The leaf among those of all parameters.
  int64_t argument(int64_t parameter, std::span<const int64_t> index) const;
  // Where that leaf is afterwards; the index is kept here.
  std::pair<int64_t, std::span<const int64_t>> place(int64_t parameter, std::span<const int64_t> index);

  Module& module_;
  bool asOneTuple_;
  std::deque<int64_t> indices_;
};

void FlatHeader::flattenLayout() {
  const ProgramShape* had = module_.get<Attr::EntryComputationLayout>();
  if (had == nullptr) return;
  std::vector<Shape> parameters;
  for (Shape parameter : had->parameters) {
    const auto leaves = leavesOf(parameter);
    parameters.insert(parameters.end(), leaves.begin(), leaves.end());
  }
  if (asOneTuple_) parameters = {Shape::tuple(parameters)};
  const auto results = leavesOf(had->result);
  const ProgramShape flat{.parameters = parameters,
                          .result = had->result.isTuple() ? Shape::tuple(results) : had->result};
  module_.set<Attr::EntryComputationLayout>(&flat);
}

int64_t FlatHeader::argument(int64_t parameter, std::span<const int64_t> index) const {
  const auto parameters = module_.entry()->parameters();
  size_t leaf = 0;
  for (size_t i = 0; i < static_cast<size_t>(parameter); ++i) leaf += leafCount(parameters[i]->shape());
  return static_cast<int64_t>(leaf + leafAt(parameters[static_cast<size_t>(parameter)]->shape(), index));
}

std::pair<int64_t, std::span<const int64_t>> FlatHeader::place(int64_t parameter,
                                                               std::span<const int64_t> index) {
  const int64_t leaf = argument(parameter, index);
  if (!asOneTuple_) return {leaf, {}};
  indices_.push_back(leaf);
  return {0, {&indices_.back(), 1}};
}

void FlatHeader::flattenAliases() {
  if (!module_.attributes().has(Attr::InputOutputAlias)) return;
  const Shape result = module_.entry()->root()->shape();
  std::vector<AliasEntry> flat;
  for (AliasEntry entry : module_.get<Attr::InputOutputAlias>()) {
    std::tie(entry.parameter, entry.parameterIndex) = place(entry.parameter, entry.parameterIndex);
    if (result.isTuple()) {
      indices_.push_back(static_cast<int64_t>(leafAt(result, entry.outputIndex)));
      entry.outputIndex = {&indices_.back(), 1};
    }
    flat.push_back(entry);
  }
  module_.set<Attr::InputOutputAlias>(flat);
}

void FlatHeader::flattenDonors() {
  if (!module_.attributes().has(Attr::BufferDonor)) return;
  std::vector<BufferDonor> flat;
  for (BufferDonor donor : module_.get<Attr::BufferDonor>()) {
    std::tie(donor.parameter, donor.parameterIndex) = place(donor.parameter, donor.parameterIndex);
    flat.push_back(donor);
  }
  module_.set<Attr::BufferDonor>(flat);
}

}  // namespace

void completeEntryLayout(Module& module) {
  const ProgramShape* had = module.get<Attr::EntryComputationLayout>();
  if (had == nullptr) return;
  const auto isStated = [](Shape shape) {
    return std::ranges::any_of(leavesOf(shape), [](Shape s) { return s.isArray() && s.layout() != nullptr; });
  };
  if (!isStated(had->result) && std::ranges::none_of(had->parameters, isStated)) return;
  std::vector<Shape> parameters;
  for (Shape parameter : had->parameters) parameters.push_back(parameter.withDefaultLayout());
  const ProgramShape all{.parameters = parameters, .result = had->result.withDefaultLayout()};
  module.set<Attr::EntryComputationLayout>(&all);
}

void flattenHeader(Module& module, bool asOneTuple) {
  FlatHeader header(module, asOneTuple);
  header.flattenLayout();
  header.flattenAliases();
  header.flattenDonors();
}

}  // namespace hilo::sdy
