#include "core/compiler/spmd/stated_shardings.h"

#include <charconv>

namespace hilo {
namespace {

bool allows(std::span<const bool> list, size_t index) {
  if (list.size() == 1) return list[0];
  return index < list.size() && list[index];
}

bool anyOf(std::span<const bool> list) { return std::ranges::find(list, true) != list.end(); }

bool isUnknown(const Sharding* sharding) {
  return sharding != nullptr && sharding->type == Sharding::Type::Unknown;
}

Status joinGroup(StatedShardings& stated, const Instruction& instruction, const Sharding& sharding) {
  if (sharding.shardGroup == Sharding::ShardGroup::None) return {};
  ShardGroupMembers& group = stated.groups[sharding.shardGroupId];
  const Shape shape = instruction.shape();
  if (!group.members.empty() &&
      !std::ranges::equal(group.members[0]->shape().dimensions(), shape.dimensions())) {
    return fail("shard-group-mismatch",
                fmt::format("{} is {} and in shard group {} with {}, which is {}", instruction.name(),
                            toString(shape.withoutLayout()), sharding.shardGroupId, group.members[0]->name(),
                            toString(group.members[0]->shape().withoutLayout())),
                {.computation = std::string(instruction.parent().name()),
                 .instruction = std::string(instruction.name())},
                {"members of a group must have the same sizes"});
  }
  group.isAs = sharding.shardGroup == Sharding::ShardGroup::As;
  group.members.push_back(&instruction);
  stated.groupOf[&instruction] = sharding.shardGroupId;
  return {};
}

// Users first, so that of several calls on one value the last says how the value lies.
void makeCopies(ShardingState& state, StatedShardings& stated) {
  for (Computation* computation : state.module().computations()) {
    for (Instruction* i = computation->last(); i != nullptr; i = i->previous()) {
      const std::string_view target = i->get<Attr::CustomCallTarget>();
      if ((target != "Sharding" && target != "xla.sdy.FuncResultSharding") || i->operandCount() != 1)
        continue;
      std::vector<int64_t> open = openDimensionsOf(*i);
      Instruction* operand = i->operand(0);
      i->become(Opcode::Copy, std::vector{operand});
      i->erase(Attr::BackendConfig);
      const Sharding* sharding = i->get<Attr::Sharding>();
      if (!open.empty()) {
        stated.openDimensions[i] = std::move(open);
      } else if (sharding != nullptr && !operand->has(Attr::Sharding)) {
        operand->set<Attr::Sharding>(sharding);
      }
    }
  }
}

// An outfeed's sharding is of its data, with one more element for the token.
Status readOutfeed(const ShardingState& state, StatedShardings& stated, const Instruction& outfeed) {
  const Sharding& sharding = *outfeed.get<Attr::Sharding>();
  const Shape data = outfeed.operand(0)->shape();
  const auto leaves = leavesOf(data);
  if (sharding.type != Sharding::Type::Tuple || sharding.elements.size() != leaves.size() + 1) return {};
  Tilings tilings;
  for (size_t i = 0; i < leaves.size(); ++i) {
    TRY(tilings.emplace_back(), tilingOf(sharding.elements[i], leaves[i], state.partitions(), outfeed));
  }
  stated.outfeeds[&outfeed] = std::move(tilings);
  return {};
}

// XLA marks so what it would rather have been without, so that like operations were not made one.
bool onlyPreventsMerging(const Sharding& sharding) {
  return std::ranges::any_of(sharding.metadata, [](const OpMetadata& metadata) {
    return metadata.opName == "_sharding_propagation_cse_prevention";
  });
}

Status readAll(ShardingState& state, StatedShardings& stated) {
  for (const Computation* computation : state.module().computations()) {
    for (const Instruction* i : computation->instructions()) {
      const Sharding* sharding = i->get<Attr::Sharding>();
      if (sharding == nullptr || i->shape() == Shape() || onlyPreventsMerging(*sharding)) continue;
      if (i->opcode() == Opcode::Outfeed) {
        TRY_STATUS(readOutfeed(state, stated, *i));
        continue;
      }
      TRY(Tilings tilings, tilingsOf(*sharding, i->shape(), state.partitions(), *i));
      TRY_STATUS(joinGroup(stated, *i, *sharding));
      const bool isOnlyGroup = isUnknown(sharding) && stated.groupOf.contains(i);
      if (!isOnlyGroup) state.set(i, std::move(tilings));
    }
  }
  return {};
}

// The first of a linked set that states a sharding states it for all.
void shareStated(ShardingState& state, const LinkedValues& linked) {
  for (const auto& set : linked.sets()) {
    const auto stated =
        std::ranges::find_if(set, [&](const Instruction* member) { return state.of(member) != nullptr; });
    if (stated == set.end()) continue;
    const Tilings tilings = *state.of(*stated);
    for (const Instruction* member : set) {
      state.set(member, tilings);
      // A loop's parameters may not move away from what the loop states.
      if (set[0]->opcode() == Opcode::While && !member->parent().isEntry()) state.fix(member);
    }
  }
}

}  // namespace

std::vector<int64_t> openDimensionsOf(const Instruction& call) {
  constexpr std::string_view kKey = "unspecified_dims=[";
  const std::string_view config = call.get<Attr::BackendConfig>();
  const size_t at = config.find(kKey);
  std::vector<int64_t> dimensions;
  if (at == config.npos) return dimensions;
  const char* place = config.data() + at + kKey.size();
  const char* end = config.data() + config.size();
  for (int64_t value = 0; place < end;) {
    const auto [next, error] = std::from_chars(place, end, value);
    if (error != std::errc()) break;
    if (value >= 0 && value < static_cast<int64_t>(call.shape().rank())) dimensions.push_back(value);
    place = next;
    if (place < end && *place == ',') ++place;
  }
  return dimensions;
}

bool allowsParameter(const Module& module, const PropagationSettings& settings, size_t index) {
  return settings.toParameters && allows(module.get<Attr::AllowSpmdShardingPropagationToParameters>(), index);
}

bool allowsOutput(const Module& module, const PropagationSettings& settings, size_t leaf) {
  return settings.toOutput && allows(module.get<Attr::AllowSpmdShardingPropagationToOutput>(), leaf);
}

Result<StatedShardings> readShardings(ShardingState& state, const LinkedValues& linked,
                                      const PropagationSettings& settings) {
  StatedShardings stated;
  const Module& module = state.module();
  makeCopies(state, stated);
  TRY_STATUS(readAll(state, stated));
  shareStated(state, linked);
  const Instruction* root = module.entry()->root();
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (state.of(i) != nullptr && i != root && i->opcode() != Opcode::Parameter &&
          !isUnknown(i->get<Attr::Sharding>()))
        state.fix(i);
    }
  }
  const bool toOutput = settings.toOutput && anyOf(module.get<Attr::AllowSpmdShardingPropagationToOutput>());
  if (!toOutput && !isUnknown(root->get<Attr::Sharding>())) state.fix(root);
  if (const Tilings* known = state.of(root)) stated.boundary[root] = *known;
  const bool toParameters =
      settings.toParameters && anyOf(module.get<Attr::AllowSpmdShardingPropagationToParameters>());
  for (const Instruction* parameter : module.entry()->parameters()) {
    const Tilings* known = state.of(parameter);
    if (known == nullptr) continue;
    stated.boundary[parameter] = *known;
    if (!toParameters && !isUnknown(parameter->get<Attr::Sharding>())) state.fix(parameter);
  }
  return stated;
}

}  // namespace hilo
