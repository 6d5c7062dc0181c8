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

namespace {

void addLeaves(const Literal& value, std::vector<Literal>& leaves) {
  if (!value.shape().isTuple()) leaves.push_back(value);
  for (const Literal& element : value.elements()) addLeaves(element, leaves);
}

Literal ofNextLeaves(Shape shape, std::span<Literal>& leaves) {
  if (!shape.isTuple()) {
    Literal leaf = std::move(leaves.front());
    leaves = leaves.subspan(1);
    return leaf;
  }
  std::vector<Literal> elements;
  for (Shape element : shape.tupleShapes()) elements.push_back(ofNextLeaves(element, leaves));
  return Literal::tuple(std::move(elements));
}

}  // namespace

std::vector<Literal> groupedAs(std::span<const Shape> shapes, std::span<const Literal> values) {
  std::vector<Literal> leaves, grouped;
  for (const Literal& value : values) addLeaves(value, leaves);
  size_t wanted = 0;
  for (Shape shape : shapes) wanted += leavesOf(shape).size();
  if (wanted != leaves.size()) return {};
  std::span<Literal> rest = leaves;
  for (Shape shape : shapes) grouped.push_back(ofNextLeaves(shape, rest));
  return grouped;
}

Result<ArgumentSource> cutArguments(const Module& local, const std::vector<Literal>& given) {
  const int64_t count = local.partitionCount();
  const auto parameters = local.entry()->parameters();
  std::vector<Shape> shapes;
  for (const Instruction* parameter : parameters) shapes.push_back(parameter->shape());
  const std::vector<Literal> whole = groupedAs(shapes, given);
  if (parameters.size() != whole.size())
    return fail("wrong-argument", fmt::format("{} arguments of {}", given.size(), parameters.size()));
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
