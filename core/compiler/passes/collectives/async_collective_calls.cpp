#include "core/compiler/passes/collectives/async_collective_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/async_pair_maker.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

using Json = nlohmann::json;

std::optional<Opcode> collectiveOf(const Instruction& call, std::string_view ending) {
  if (call.opcode() != Opcode::CustomCall) return std::nullopt;
  std::string_view target = call.get<Attr::CustomCallTarget>();
  if (!target.ends_with(ending)) return std::nullopt;
  target.remove_suffix(ending.size());
  for (const Opcode opcode : {Opcode::AllGather, Opcode::AllReduce, Opcode::ReduceScatter, Opcode::AllToAll,
                              Opcode::CollectivePermute}) {
    if (opcodeName(opcode) == target) return opcode;
  }
  return std::nullopt;
}

std::unexpected<Diagnostic> unfit(const Instruction& start, std::string_view why) {
  return fail("collective-config", fmt::format("{}: {}", start.name(), why));
}

// One start and its done.
class Rewrite {
 public:
  Rewrite(Instruction& start, Instruction& done, Opcode opcode)
      : start_(start), done_(done), opcode_(opcode) {}

  Result<Instruction*> run() {
    TRY_STATUS(read());
    Instruction* collective = nullptr;
    try {
      TRY(collective, collectiveAtStart());
    } catch (const Json::exception&) {
      return unfit(start_, "its configuration has something of another type");
    }
    const AsyncPair pair = wrappedAsync(*collective);
    start_.parent().remove(collective);
    start_.parent().moveBefore(pair.done, &done_);
    Instruction* result = resultOf(pair.done);
    putInPlace(pair, *result);
    return pair.start;
  }

 private:
  Status read() {
    std::string_view text = frontendValue(start_, "async_collective_config");
    if (text.empty()) text = start_.get<Attr::BackendConfig>();
    config_ = text.empty() ? Json::object() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!config_.is_object()) return unfit(start_, "its configuration is no JSON object");
    if (start_.operandCount() == 0) return unfit(start_, "it has no operand");
    if (start_.users().size() != 1) return unfit(start_, "something else than its done reads it");
    return {};
  }

  Result<int64_t> dimension(const char* name) const {
    const int64_t d = config_.value(name, int64_t{-1});
    if (d < 0 || d >= static_cast<int64_t>(start_.operand(0)->shape().rank()))
      return unfit(start_, fmt::format("its configuration has no {} that is a dimension", name));
    return d;
  }

  Result<Instruction*> collectiveAtStart() {
    TRY(const Shape shape, collectiveShape());
    Instruction* made = start_.parent().create(opcode_, shape, start_.operands(), {}, &start_);
    Status set = setAttributes(*made);
    if (!set) {
      start_.parent().remove(made);
      return std::unexpected(set.error());
    }
    return made;
  }

  // Of a reduce-scatter that gives its part without the dimension, and an all-to-all that joins another
  // dimension than it cuts, the shape before that is put right.
  Result<Shape> collectiveShape() {
    const Shape given = start_.operand(0)->shape();
    if (opcode_ == Opcode::ReduceScatter && !config_.value("tiled", true)) {
      TRY(const int64_t d, dimension("scatter_dimension"));
      std::vector<int64_t> sizes(given.dimensions().begin(), given.dimensions().end());
      const int64_t elements = std::max<int64_t>(1, done_.shape().elementCount());
      const int64_t devices = given.elementCount() / elements;
      int64_t& size = sizes[static_cast<size_t>(d)];
      if (devices < 1 || size % devices != 0)
        return unfit(start_, "the dimension it scatters cannot be shared out");
      size /= devices;
      return arrayLike(given, given.elementType(), sizes);
    }
    if (opcode_ == Opcode::AllToAll) {
      TRY(const int64_t cut, dimension("split_dimension"));
      TRY(const int64_t joined, dimension("concat_dimension"));
      const int64_t parts = config_.value("split_count", int64_t{0});
      if (parts < 1 || given.dimension(static_cast<size_t>(cut)) % parts != 0)
        return unfit(start_, "the dimension it splits cannot be shared out");
      if (cut != joined) return given;
    }
    return done_.shape();
  }

  Status setAttributes(Instruction& made) {
    if (const auto channel = config_.find("channel_id"); channel != config_.end())
      made.set<Attr::ChannelId>(channel->get<int64_t>());
    if (opcode_ == Opcode::CollectivePermute) {
      setPairs(made, config_.value("permutation", std::vector<std::pair<int64_t, int64_t>>()));
      return {};
    }
    setGroups(made, config_.value("replica_groups", std::vector<std::vector<int64_t>>()));
    if (opcode_ != Opcode::AllToAll && config_.value("use_global_device_ids", false))
      made.set<Attr::UseGlobalDeviceIds>(true);
    if (opcode_ == Opcode::AllReduce || opcode_ == Opcode::ReduceScatter) {
      const auto called = start_.calledComputations();
      if (called.size() != 1) return unfit(start_, "it calls no one computation that adds");
      made.set<Attr::ToApply>(called[0]);
    }
    if (opcode_ == Opcode::AllReduce) return {};
    const char* name = opcode_ == Opcode::AllGather       ? "all_gather_dimension"
                       : opcode_ == Opcode::ReduceScatter ? "scatter_dimension"
                                                          : "split_dimension";
    TRY(const int64_t d, dimension(name));
    made.set<Attr::Dimensions>(std::vector<int64_t>{d});
    return {};
  }

  Instruction* resultOf(Instruction* value) {
    if (opcode_ == Opcode::AllToAll && config_["split_dimension"] != config_["concat_dimension"])
      value = joinedElsewhere(value);
    return value->shape() == done_.shape() ? value : reshapedAs(value, done_.shape(), done_);
  }

  // Parts that came from others lie one behind the other where the array was cut: put in front of the
  // dimension along which they are to be joined.
  Instruction* joinedElsewhere(Instruction* value) {
    const auto cut = config_["split_dimension"].get<size_t>();
    const auto joined = config_["concat_dimension"].get<size_t>();
    const auto parts = config_["split_count"].get<int64_t>();
    std::vector<int64_t> sizes, order;
    for (size_t d = 0; d < value->shape().rank(); ++d) {
      if (d == joined) order.push_back(static_cast<int64_t>(cut));
      order.push_back(static_cast<int64_t>(d >= cut ? d + 1 : d));
      if (d == cut) sizes.push_back(parts);
      sizes.push_back(d == cut ? value->shape().dimension(d) / parts : value->shape().dimension(d));
    }
    return transposeBy(reshapeTo(value, sizes, done_), order, done_);
  }

  void putInPlace(const AsyncPair& pair, Instruction& result) {
    Computation& computation = start_.parent();
    const auto handOver = [](Instruction& from, Instruction& to) {
      if (const OpMetadata* metadata = from.get<Attr::Metadata>()) to.set<Attr::Metadata>(metadata);
      if (const auto before = from.get<Attr::ControlPredecessors>(); !before.empty())
        to.set<Attr::ControlPredecessors>(before);
      from.erase(Attr::ControlPredecessors);
    };
    handOver(start_, *pair.start);
    handOver(done_, *pair.done);
    redirectControlPredecessors(computation, {{&start_, pair.start}, {&done_, &result}});
    computation.replaceAllUses(&done_, &result);
    computation.remove(&done_);
    computation.remove(&start_);
  }

  Instruction& start_;
  Instruction& done_;
  const Opcode opcode_;
  Json config_;
};

}  // namespace

Result<bool> rewriteAsyncCollectiveCalls(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> dones;
    for (Instruction* i : computation->instructions()) {
      if (collectiveOf(*i, "-done") && i->operandCount() > 0 && collectiveOf(*i->operand(0), "-start"))
        dones.push_back(i);
    }
    for (Instruction* done : dones) {
      if (context.cancelled() || !context.mayChange(*done)) return changed;
      Instruction& start = *done->operand(0);
      context.remark(*done, "rewritten",
                     fmt::format("work of an {}", opcodeName(*collectiveOf(start, "-start"))));
      TRY_STATUS(Rewrite(start, *done, *collectiveOf(start, "-start")).run());
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
