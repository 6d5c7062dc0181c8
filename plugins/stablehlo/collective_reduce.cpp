// stablehlo.collective_reduce: HLO has no reduction to one device of a group. It is an all-reduce of which
// the other devices keep zeros.
#include "plugins/stablehlo/conversions.h"

namespace hilo::stablehlo {
namespace {

// The groups as s32[groups, members].
Hlo groupTable(OpConversion& c, llvm::ArrayRef<Integers> groups) {
  pb::LiteralProto literal;
  *literal.mutable_shape() =
      arrayShape(pb::S32, {static_cast<int64_t>(groups.size()), static_cast<int64_t>(groups[0].size())});
  for (const Integers& group : groups) {
    for (const int64_t id : group) literal.add_s32s(static_cast<int32_t>(id));
  }
  return c.to.literal(std::move(literal));
}

// What groups number devices by.
Hlo ownId(OpConversion& c) {
  return c.to.convert(c.to.add(channelOf(c) > 0 ? "partition-id" : "replica-id", scalarShape(pb::U32), {}),
                      pb::S32);
}

// Where in its group the root of result `n` stands: told at run time, or the first.
Hlo rootPlace(OpConversion& c, size_t n) {
  if (!isSet(c, "has_dynamic_root")) return c.to.integer(0, scalarShape(pb::S32));
  Hlo places = c.operands().back();
  Hlo one = c.to.add("slice", withDims(places->shape(), {1}), {places});
  auto* range = one->add_slice_dimensions();
  range->set_start(static_cast<int64_t>(n));
  range->set_limit(static_cast<int64_t>(n) + 1);
  range->set_stride(1);
  return c.to.reshape(one, {});
}

Hlo anyOf(OpConversion& c, Hlo predicates) {
  const pb::ShapeProto scalar = scalarShape(pb::PRED);
  ComputationBuilder either(c.to.module(), "or." + std::to_string(c.to.module().nextId()));
  Hlo a = either.parameter(0, scalar, ""), b = either.parameter(1, scalar, "");
  either.finish(either.apply("or", {a, b}));
  Hlo made = c.to.add("reduce", scalar, {predicates, c.to.integer(0, scalar)});
  made->add_dimensions(0);
  made->add_called_computation_ids(either.id());
  return made;
}

// Whether this device is the root of its group for result `n`.
Hlo isRoot(OpConversion& c, Hlo table, Hlo id, size_t n) {
  const int64_t count = table->shape().dimensions(0);
  Hlo roots = c.to.add("dynamic-slice", withDims(table->shape(), {count, 1}),
                       {table, c.to.integer(0, scalarShape(pb::S32)), rootPlace(c, n)});
  roots->add_dynamic_slice_sizes(count);
  roots->add_dynamic_slice_sizes(1);
  Hlo list = c.to.reshape(roots, {count});
  return anyOf(c, c.to.compare("EQ", list, c.to.broadcast(id, {}, list->shape())));
}

}  // namespace

LogicalResult convertCollectiveReduce(OpConversion& c) {
  const size_t data = c.operandCount() - (isSet(c, "has_dynamic_root") ? 1 : 0);
  if (c.operandCount() == 0 || data == 0 || c.resultCount() != data)
    return c.error("needs a result for each operand but the root");
  const auto groups = replicaGroupsOf(c);
  if (!groups) return llvm::failure();
  const auto width = groups->empty() ? 0 : groups->front().size();
  if (width == 0 || llvm::any_of(*groups, [&](const Integers& group) { return group.size() != width; }))
    return c.error("needs groups of one size");
  const auto reducer = c.region(0, "reducer");
  if (!reducer) return llvm::failure();
  Hlo reduced = c.to.add("all-reduce", c.resultShape(), c.operands().take_front(data));
  reduced->add_called_computation_ids(*reducer);
  if (channelOf(c) > 0) reduced->set_channel_id(channelOf(c));
  for (const Integers& group : *groups)
    reduced->add_replica_groups()->mutable_replica_ids()->Add(group.begin(), group.end());
  Hlo table = groupTable(c, *groups), id = ownId(c);
  llvm::SmallVector<Hlo> results;
  for (auto [n, value] : llvm::enumerate(c.to.elements(reduced))) {
    Hlo chosen = c.to.broadcast(isRoot(c, table, id, n), {}, withType(value->shape(), pb::PRED));
    results.push_back(c.to.select(chosen, value, c.to.number(0, value->shape())));
  }
  c.made = reduced;
  return c.done(Hlos(results));
}

}  // namespace hilo::stablehlo
