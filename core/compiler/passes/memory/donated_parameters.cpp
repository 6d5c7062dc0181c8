#include "core/compiler/passes/memory/donated_parameters.h"

#include <algorithm>
#include <tuple>

namespace hilo {
namespace {

struct DonorPart {
  int64_t parameter = 0;
  std::vector<int64_t> index;
  int64_t bytes = 0, space = 0;
};

void addParts(Shape shape, int64_t parameter, std::vector<int64_t>& index, std::vector<DonorPart>& parts) {
  if (shape.isTuple()) {
    for (size_t k = 0; k < shape.tupleShapes().size(); ++k) {
      index.push_back(static_cast<int64_t>(k));
      addParts(shape.tupleShapes()[k], parameter, index, parts);
      index.pop_back();
    }
  } else if (shape.isArray() && !shape.isDynamic()) {
    parts.push_back(
        {parameter, index, shape.byteSize(), shape.layout() == nullptr ? 0 : shape.layout()->memorySpace});
  }
}

std::vector<DonorPart> partsOf(Shape shape, int64_t parameter) {
  std::vector<DonorPart> parts;
  std::vector<int64_t> index;
  addParts(shape, parameter, index, parts);
  return parts;
}

void sortBySize(std::vector<DonorPart>& parts) {
  std::ranges::sort(parts, [](const DonorPart& a, const DonorPart& b) {
    return std::tie(a.space, b.bytes, a.parameter, a.index) <
           std::tie(b.space, a.bytes, b.parameter, b.index);
  });
}

std::vector<DonorPart> freeDonors(const Module& module, std::span<const AliasEntry> aliases,
                                  bool donorsOnly) {
  const auto donated = module.get<Attr::BufferDonor>();
  std::vector<DonorPart> donors;
  for (const Instruction* parameter : module.entry()->parameters()) {
    for (DonorPart& part : partsOf(parameter->shape(), parameter->parameterNumber())) {
      const auto isOfPart = [&](const auto& other) {
        return other.parameter == part.parameter && std::ranges::equal(other.parameterIndex, part.index);
      };
      if (std::ranges::any_of(aliases, isOfPart)) continue;
      if (!donorsOnly || std::ranges::any_of(donated, isOfPart)) donors.push_back(std::move(part));
    }
  }
  sortBySize(donors);
  return donors;
}

std::vector<DonorPart> freeResults(const Module& module, std::span<const AliasEntry> aliases) {
  std::vector<DonorPart> results = partsOf(module.entry()->root()->shape(), 0);
  std::erase_if(results, [&](const DonorPart& part) {
    return std::ranges::any_of(
        aliases, [&](const AliasEntry& a) { return std::ranges::equal(a.outputIndex, part.index); });
  });
  sortBySize(results);
  return results;
}

}  // namespace

Result<bool> aliasDonatedParameters(Module& module, PassContext& context, const DonationRules& rules) {
  if (module.entry() == nullptr || module.entry()->root()->shape().isDynamic()) return false;
  const auto stated = module.get<Attr::InputOutputAlias>();
  std::vector<AliasEntry> aliases(stated.begin(), stated.end());
  const auto given = module.get<Attr::BufferDonor>();
  std::vector<BufferDonor> left(given.begin(), given.end());
  const std::vector<DonorPart> donors = freeDonors(module, stated, rules.donorsOnly),
                               results = freeResults(module, stated);
  bool changed = false;
  for (size_t d = 0, r = 0; d < donors.size() && r < results.size();) {
    const auto donor = std::tuple(donors[d].space, -donors[d].bytes),
               result = std::tuple(results[r].space, -results[r].bytes);
    if (donor < result) {
      ++d;
    } else if (result < donor) {
      ++r;
    } else {
      const Instruction& parameter = *module.entry()->parameters()[static_cast<size_t>(donors[d].parameter)];
      if (!context.mayChange(parameter)) break;
      context.remark(parameter, "aliased",
                     fmt::format("a result of {} bytes takes its place", donors[d].bytes));
      aliases.push_back({.outputIndex = results[r].index,
                         .parameter = donors[d].parameter,
                         .parameterIndex = donors[d].index});
      std::erase_if(left, [&](const BufferDonor& of) {
        return of.parameter == donors[d].parameter && std::ranges::equal(of.parameterIndex, donors[d].index);
      });
      changed = true;
      ++d, ++r;
    }
  }
  if (!changed) return false;
  module.set<Attr::InputOutputAlias>(aliases);
  if (left.empty()) module.attributes().erase(Attr::BufferDonor);
  if (!left.empty()) module.set<Attr::BufferDonor>(left);
  return true;
}

}  // namespace hilo
