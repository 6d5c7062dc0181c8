#include "core/workspace/partition/device_arguments.h"

#include "core/compiler/spmd/device_parts.h"
#include "core/workspace/passes/optimize.h"

namespace hilo {

Result<Tilings> tilingsOrWhole(const Instruction& instruction, Shape global, int64_t partitions) {
  if (const Sharding* sharding = instruction.get<Attr::Sharding>())
    return tilingsOf(*sharding, global, partitions, instruction);
  Tilings tilings;
  for (Shape leaf : leavesOf(global))
    tilings.push_back(replicatedTiling(leaf.isArray() ? leaf.rank() : 0, partitions));
  return tilings;
}

Result<std::shared_ptr<const Module>> wholeModule(const std::shared_ptr<const Module>& module,
                                                  const JobContext& context) {
  TRY(const PassSeries series, optimize({.module = module, .passes = {"sharding-remover"}}, context));
  TRY(const auto plain, series.steps.back().module());
  std::shared_ptr<Module> whole = plain->clone();
  whole->set<Attr::NumPartitions>(1);
  return whole;
}

Result<ArgumentSource> cutArguments(const Module& local, const std::vector<Literal>& whole) {
  const int64_t count = local.partitionCount();
  const auto parameters = local.entry()->parameters();
  if (parameters.size() != whole.size())
    return fail("wrong-argument", fmt::format("{} arguments of {}", whole.size(), parameters.size()));
  std::vector<std::vector<Literal>> lists(static_cast<size_t>(count));
  for (size_t i = 0; i < whole.size(); ++i) {
    TRY(const Tilings tilings, tilingsOrWhole(*parameters[i], whole[i].shape(), count));
    auto parts = cutLiteral(whole[i], tilings, count);
    for (size_t device = 0; device < parts.size(); ++device)
      lists[device].push_back(std::move(parts[device]));
  }
  ArgumentSource source{.kind = ArgumentSource::Kind::Given, .given = std::move(lists[0])};
  source.otherGiven.assign(std::make_move_iterator(lists.begin() + 1), std::make_move_iterator(lists.end()));
  return source;
}

}  // namespace hilo
