// Collectives: bring the operands, wait for the group, and compute this device's results from what all
// brought. Reductions are computed once an exchange, by whoever comes first, and shared.
#include <fmt/format.h>

#include <cstring>

#include "core/runtime/thunk/collective_group.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> malformed(const ThunkContext& context, std::string_view why) {
  return fail("malformed-instruction", fmt::format("{}: {}", context.thunk->name, why));
}

std::vector<Bytes> copiesOf(std::span<const ReadSlice> slices, const ThunkContext& context) {
  std::vector<Bytes> copies;
  for (const ReadSlice& slice : slices)
    copies.emplace_back(context.at(slice), context.at(slice) + slice.sizeBytes);
  return copies;
}

// One complete exchange seen from one of its members.
class Results {
 public:
  Results(const CollectiveThunk& thunk, const Collective& collective, const ThunkContext& context,
          BytesExchange& exchange)
      : thunk_(thunk),
        collective_(collective),
        context_(context),
        exchange_(exchange),
        self_(static_cast<size_t>(std::ranges::find(exchange.group, context.link.device) -
                                  exchange.group.begin())) {}

  Status write() {
    const auto& first = exchange_.contributions[0];
    for (const auto& other : exchange_.contributions) {
      if (!std::ranges::equal(other, first, {}, &Bytes::size, &Bytes::size))
        return malformed(context_, "the devices brought operands of different shapes");
    }
    switch (collective_.kind) {
      case CollectiveKind::AllReduce:
      case CollectiveKind::ReduceScatter:
        return reduce();
      case CollectiveKind::AllGather:
        return gather();
      case CollectiveKind::AllToAll:
        return allToAll();
      case CollectiveKind::TupleAllToAll:
        return tupleAllToAll();
      case CollectiveKind::RaggedAllToAll:
        return raggedAllToAll();
      case CollectiveKind::Broadcast:
        return copyAll(exchange_.contributions[0]);
      case CollectiveKind::Permute:
        break;  // finished by who sends (below)
      case CollectiveKind::SendRecv:
        break;
    }
    return malformed(context_, "is no exchange of a group");
  }
  Status copyAll(const std::vector<Bytes>& from) {
    if (from.size() != thunk_.results.size()) return malformed(context_, "gives other than it brings");
    for (size_t i = 0; i < from.size(); ++i) {
      if (!fits(i, from[i].size())) return wrongSize();
      copy(out(i), from[i].data(), from[i].size());
    }
    return {};
  }

 private:
  size_t members() const { return exchange_.contributions.size(); }
  const Bytes& brought(size_t member, size_t operand) const {
    return exchange_.contributions[member][operand];
  }
  size_t operands() const { return exchange_.contributions[0].size(); }
  std::byte* out(size_t i) const { return context_.at(thunk_.results[i]); }
  bool fits(size_t i, size_t bytes) const {
    return i < thunk_.results.size() && static_cast<size_t>(thunk_.results[i].sizeBytes) == bytes;
  }
  static void copy(std::byte* to, const std::byte* from, size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  std::unexpected<Diagnostic> wrongSize() const {
    return malformed(context_, "the group's size does not fit its shapes");
  }

  // Part `index` of `count` along the dimension that an operand is cut along.
  Status copyPart(std::byte* to, size_t resultBytes, const Bytes& whole, size_t outer, size_t index,
                  size_t count) const {
    if (whole.size() != resultBytes * count || resultBytes % outer != 0) return wrongSize();
    const size_t run = resultBytes / outer;
    for (size_t o = 0; o < outer; ++o) copy(to + o * run, whole.data() + (o * count + index) * run, run);
    return {};
  }

  Status reduce() {
    std::call_once(exchange_.once, [&] {
      for (size_t i = 0; i < operands(); ++i) exchange_.shared.push_back(reduced(i));
    });
    if (collective_.kind == CollectiveKind::AllReduce) return copyAll(exchange_.shared);
    for (size_t i = 0; i < exchange_.shared.size(); ++i) {
      if (i >= thunk_.results.size()) return wrongSize();
      TRY_STATUS(copyPart(out(i), static_cast<size_t>(thunk_.results[i].sizeBytes), exchange_.shared[i],
                          static_cast<size_t>(collective_.outer[i]), self_, members()));
    }
    return {};
  }
  Bytes reduced(size_t operand) const {
    const CollectiveReduction& by = collective_.reductions[operand];
    const size_t bytes = brought(0, operand).size();
    const auto count = static_cast<int64_t>(bytes) / elementStorageBytes(by.type);
    Bytes result(brought(0, operand));
    if (count == 0 || members() == 1) return result;
    const auto run = [&](uint32_t kernel, void* to, const void* from) {
      void* buffers[] = {const_cast<void*>(from), to};
      callKernel(context_.kernels[kernel], buffers, 0, count);
    };
    if (!by.widens) {
      for (size_t member = 1; member < members(); ++member)
        run(by.accumulate, result.data(), brought(member, operand).data());
      return result;
    }
    // What is added to -0 stays what it is.
    std::vector<double> sums(static_cast<size_t>(count), -0.0);
    for (size_t member = 0; member < members(); ++member)
      run(by.accumulate, sums.data(), brought(member, operand).data());
    run(by.narrow, result.data(), sums.data());
    return result;
  }

  Status gather() {
    for (size_t i = 0; i < operands(); ++i) {
      const size_t part = brought(0, i).size(), outer = static_cast<size_t>(collective_.outer[i]);
      if (!fits(i, part * members()) || part % outer != 0) return wrongSize();
      const size_t run = part / outer;
      std::byte* to = out(i);
      for (size_t o = 0; o < outer; ++o) {
        for (size_t member = 0; member < members(); ++member, to += run)
          copy(to, brought(member, i).data() + o * run, run);
      }
    }
    return {};
  }

  Status allToAll() {
    const size_t bytes = brought(0, 0).size(), n = members(),
                 outer = static_cast<size_t>(collective_.outer[0]);
    if (!fits(0, bytes) || bytes % (n * outer) != 0) return wrongSize();
    const size_t run = bytes / (n * outer);
    for (size_t o = 0; o < outer; ++o) {
      for (size_t member = 0; member < n; ++member)
        copy(out(0) + (o * n + member) * run, brought(member, 0).data() + (o * n + self_) * run, run);
    }
    return {};
  }

  Status tupleAllToAll() {
    if (operands() != members() || thunk_.results.size() != members())
      return malformed(context_, "needs an operand for each device of the group");
    for (size_t member = 0; member < members(); ++member) {
      const Bytes& from = brought(member, self_);
      if (!fits(member, from.size())) return wrongSize();
      copy(out(member), from.data(), from.size());
    }
    return {};
  }

  // Operands: input, output, then for every part where it starts in the sender's input, how many rows it has
  // and where it goes in the receiver's output, and how many rows come in.
  Status raggedAllToAll() {
    const Bytes& own = brought(self_, 1);
    if (!fits(0, own.size())) return wrongSize();
    copy(out(0), own.data(), own.size());
    const auto width = static_cast<size_t>(elementStorageBytes(collective_.indexType));
    const size_t parts = brought(self_, 2).size() / width, n = members();
    for (size_t i = 2; i < 6; ++i) {
      if (brought(self_, i).size() != parts * width) return wrongSize();
    }
    if (parts % n != 0) return malformed(context_, "needs as many parts for every device of the group");
    const int64_t rowBytes = collective_.rowBytes;
    if (rowBytes == 0) return {};
    for (size_t sender = 0; sender < n; ++sender) {
      const Bytes& input = brought(sender, 0);
      const auto inputRows = static_cast<int64_t>(input.size()) / rowBytes,
                 outputRows = static_cast<int64_t>(own.size()) / rowBytes;
      for (size_t i = self_ * (parts / n); i < (self_ + 1) * (parts / n); ++i) {
        const int64_t source = number(sender, 2, i), rows = number(sender, 3, i),
                      target = number(sender, 4, i);
        if (source < 0 || rows < 0 || target < 0 || rows > inputRows || rows > outputRows ||
            source > inputRows - rows || target > outputRows - rows)
          return malformed(context_, "a part lies outside the input or output");
        copy(out(0) + target * rowBytes, input.data() + source * rowBytes,
             static_cast<size_t>(rows * rowBytes));
      }
    }
    return {};
  }
  int64_t number(size_t member, size_t operand, size_t i) const {
    const auto width = static_cast<size_t>(elementStorageBytes(collective_.indexType));
    const std::byte* at = brought(member, operand).data() + i * width;
    uint64_t bits = 0;
    std::memcpy(&bits, at, width);
    if (!isSigned(collective_.indexType)) {
      return bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
                 ? std::numeric_limits<int64_t>::max()
                 : static_cast<int64_t>(bits);
    }
    const unsigned unused = 64 - 8 * static_cast<unsigned>(width);
    return static_cast<int64_t>(bits << unused) >> unused;
  }

  const CollectiveThunk& thunk_;
  const Collective& collective_;
  const ThunkContext& context_;
  BytesExchange& exchange_;
  size_t self_;
};

Status start(const CollectiveThunk& thunk, const Collective& collective, const CollectiveGroup& group,
             const ThunkContext& context) {
  DeviceLink& link = context.link;
  if (group.devices.empty()) return {};
  TRY(link.started[thunk.collective],
      link.communicator.bring(
          link.device,
          {.kind = static_cast<int>(collective.kind), .channel = collective.channel, .group = group.devices},
          copiesOf(thunk.operands, context)));
  return {};
}

Status finish(const CollectiveThunk& thunk, const Collective& collective, const CollectiveGroup& group,
              const ThunkContext& context) {
  DeviceLink& link = context.link;
  const bool isPermute = collective.kind == CollectiveKind::Permute;
  std::shared_ptr<BytesExchange> exchange;
  if (!group.devices.empty()) {
    exchange = std::move(link.started[thunk.collective]);
    if (exchange == nullptr) return malformed(context, "ends what was not started");
    TRY_STATUS(link.communicator.await(
        link.device, *exchange,
        {.text = fmt::format("{} ({})", context.thunk->name, collectiveKindName(collective.kind))}));
  }
  if (exchange == nullptr || (isPermute && !group.source)) {
    // Nobody sends here.
    if (!isPermute && collective.kind != CollectiveKind::Broadcast)
      return malformed(context, "a device is in no group");
    for (const WriteSlice& slice : thunk.results)
      std::memset(context.at(slice), 0, static_cast<size_t>(slice.sizeBytes));
    return {};
  }
  Results results(thunk, collective, context, *exchange);
  if (!isPermute) return results.write();
  const auto sender = std::ranges::find(exchange->group, *group.source) - exchange->group.begin();
  return results.copyAll(exchange->contributions[static_cast<size_t>(sender)]);
}

}  // namespace

Status execute(const CollectiveThunk& thunk, const ThunkContext& context) {
  const Collective& collective = context.program.collectives[thunk.collective];
  auto group = groupOf(collective, context.link);
  if (!group) return malformed(context, group.error().message);
  if (thunk.phase != CollectivePhase::Done) TRY_STATUS(start(thunk, collective, *group, context));
  if (thunk.phase != CollectivePhase::Start) TRY_STATUS(finish(thunk, collective, *group, context));
  return {};
}

}  // namespace hilo
