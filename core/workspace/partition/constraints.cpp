// Annotations put into a module, as with_sharding_constraint of JAX writes them: a custom call to Sharding.
#include "core/analysis/device_mesh.h"
#include "core/compiler/spmd/spmd_partitioner.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/partition/partition_series.h"

namespace hilo {
namespace {

// What Shardy reads in the place of `sharding=`: "#sdy.sharding_per_value<[<@mesh, [{"fsdp"}, {}]>]>".
std::string shardyText(const DeviceMesh& mesh, const Sharding& sharding, size_t rank) {
  auto dimensions = axesOfDimensions(mesh, sharding, rank);
  dimensions.resize(rank);
  std::vector<std::string> parts;
  for (const AxisNames& axes : dimensions) {
    std::vector<std::string> quoted;
    for (const std::string& axis : axes) {
      const size_t colon = axis.find(":(");
      quoted.push_back(
          fmt::format("\"{}\"{}", axis.substr(0, colon), colon == axis.npos ? "" : axis.substr(colon)));
    }
    parts.push_back(fmt::format("{{{}}}", fmt::join(quoted, ", ")));
  }
  return fmt::format("#sdy.sharding_per_value<[<@{}, [{}]>]>", mesh.name, fmt::join(parts, ", "));
}

std::unexpected<Diagnostic> bad(const Instruction& at, const std::string& sharding, std::string_view why) {
  return fail("bad-constraint", fmt::format("{} cannot be {}: {}", at.name(), sharding, why),
              {.instruction = std::string(at.name())});
}

int64_t devicesOf(const Sharding& sharding) {
  int64_t count = 1;
  for (const int64_t tiles : sharding.tileDimensions) {
    if (__builtin_mul_overflow(count, tiles, &count)) return -1;
  }
  return count;
}

// Tiles for each dimension, over all devices. Error kind "bad-constraint".
Status checkFits(const Instruction& at, const Sharding& sharding, const std::string& text) {
  if (!at.shape().isArray()) return bad(at, text, "it is no array");
  if (sharding.type == Sharding::Type::Replicated) return {};
  if (sharding.type != Sharding::Type::Tiled)
    return bad(at, text, "a constraint is {replicated} or {devices=[...]...}");
  const size_t extra = sharding.replicateOnLastTileDim ? 1 : sharding.subgroupTypes.size();
  if (sharding.named == nullptr && sharding.tileDimensions.size() != at.shape().rank() + extra)
    return bad(at, text, fmt::format("it has {} dimensions", at.shape().rank()));
  const int64_t partitions = at.module().partitionCount();
  if (sharding.named == nullptr && devicesOf(sharding) != partitions)
    return bad(at, text, fmt::format("there are {} devices", partitions));
  return {};
}

}  // namespace

Result<std::vector<ShardingConstraint>> constraintsFromTexts(const std::vector<std::string>& texts) {
  std::vector<ShardingConstraint> constraints;
  for (std::string text : texts) {
    if (text.starts_with("%")) text.erase(0, 1);
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail("bad-constraint", fmt::format("'{}' is not NAME=SHARDING", text), {},
                  {"for example --constrain 'dot.8={devices=[8,1]<=[8]}'"});
    constraints.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return constraints;
}

Result<std::shared_ptr<const Module>> withConstraints(const Module& module,
                                                      const std::vector<ShardingConstraint>& constraints) {
  std::shared_ptr<Module> made = module.clone();
  const DeviceMesh mesh = deviceMesh(module);
  for (const ShardingConstraint& constraint : constraints) {
    Instruction* at = made->findInstruction(constraint.instruction);
    if (at == nullptr) {
      return fail(
          "no-such-instruction",
          fmt::format("no instruction '{}' where shardings spread", constraint.instruction), {},
          {"names are those of the module after the passes that inline calls: hilo partition --json"});
    }
    Arena arena;
    TRY(const Sharding sharding, parseSharding(constraint.sharding, arena));
    TRY_STATUS(checkFits(*at, sharding, constraint.sharding));
    Computation& computation = at->parent();
    Instruction* call = computation.create(Opcode::CustomCall, at->shape(), {at}, {}, at->next());
    call->set<Attr::CustomCallTarget>("Sharding");
    call->set<Attr::Sharding>(&sharding);
    if (const auto* metadata = at->get<Attr::Metadata>()) call->set<Attr::Metadata>(metadata);
    if (isMadeForShardy(module)) {
      const std::string text = shardyText(mesh, sharding, at->shape().rank());
      const FrontendAttribute attribute{.name = "xla.sdy.sharding", .value = text};
      call->set<Attr::FrontendAttributes>(std::span(&attribute, 1));
    }
    computation.replaceAllUses(at, call);
  }
  return made;
}

}  // namespace hilo
