#include "core/runtime/device/simulated/simulated_device.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "core/base/check.h"
#include "core/runtime/device/device_graph.h"
#include "core/runtime/device/simulated/device_memory.h"
#include "core/runtime/device/simulated/simulated_streams.h"

namespace hilo {
namespace {

std::byte* at(DeviceAddress address) { return reinterpret_cast<std::byte*>(address); }
DeviceAddress addressOf(const std::byte* bytes) {
  return static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(bytes));
}

// What a device and all it makes share. Whoever uses it holds streams.mutex().
struct Simulation {
  explicit Simulation(SimulatedDeviceOptions given)
      : options(std::move(given)),
        streams(options.orderSeed),
        memory(options.memoryBytes, options.isChecked) {}

  const SimulatedDeviceOptions options;
  SimulatedStreams streams;
  DeviceAllocations memory;
  StreamOrder order;
  Diagnostics findings;
};

class SimulatedDeviceKernel final : public DeviceKernel {
 public:
  SimulatedDeviceKernel(SimulatedModule module, const SimulatedKernel& kernel)
      : module_(std::move(module)),
        kernel_(kernel),
        facts_{.sharedBytes = kernel.sharedBytes, .mostBlockThreads = kernel.mostThreads} {}
  const KernelFacts& facts() const override { return facts_; }
  const SimulatedModule& module() const { return module_; }
  const SimulatedKernel& kernel() const { return kernel_; }

 private:
  SimulatedModule module_;
  const SimulatedKernel& kernel_;  // of the module
  KernelFacts facts_;
};

class SimulatedDeviceCode final : public DeviceCode {
 public:
  explicit SimulatedDeviceCode(SimulatedModule module) : module_(std::move(module)) {}
  Result<std::unique_ptr<DeviceKernel>> kernel(const std::string& name) override {
    const SimulatedKernel* kernel = module_.kernel(name);
    if (kernel == nullptr) return fail("no-symbol", fmt::format("the PTX has no kernel {}", name));
    return std::make_unique<SimulatedDeviceKernel>(module_, *kernel);
  }
  Result<DeviceGlobal> global(const std::string& name) override {
    const std::span<std::byte> bytes = module_.global(name);
    if (bytes.data() == nullptr) return fail("no-symbol", fmt::format("the PTX has no variable {}", name));
    return DeviceGlobal{.address = addressOf(bytes.data()), .sizeBytes = static_cast<int64_t>(bytes.size())};
  }

 private:
  SimulatedModule module_;
};

class SimulatedEvent final : public Event {
 public:
  explicit SimulatedEvent(Simulation& device) : device_(device) {}
  const std::shared_ptr<RecordedEvent>& recorded() const { return recorded_; }
  Result<bool> isDone() override {
    const std::lock_guard lock(device_.streams.mutex());
    TRY_STATUS(device_.streams.step());
    return recorded_->reached >= recorded_->recorded;
  }
  Status wait() override {
    const std::lock_guard lock(device_.streams.mutex());
    return device_.streams.reach(*recorded_);
  }
  Result<int64_t> nsSince(Event& start) override {
    return std::chrono::nanoseconds(recorded_->at - static_cast<SimulatedEvent&>(start).recorded_->at)
        .count();
  }

 private:
  Simulation& device_;
  std::shared_ptr<RecordedEvent> recorded_ = std::make_shared<RecordedEvent>();
};

class SimulatedStream final : public Stream {
 public:
  explicit SimulatedStream(Simulation& device) : device_(device) {
    const std::lock_guard lock(device_.streams.mutex());
    number_ = device_.streams.add();
  }
  ~SimulatedStream() override {
    const std::lock_guard lock(device_.streams.mutex());
    device_.streams.remove(number_);
  }

  Result<DeviceAddress> allocate(int64_t bytes) override;
  Status free(DeviceAddress address) override;
  Status copyIn(DeviceAddress to, std::span<const std::byte> from) override {
    return give({{to, static_cast<int64_t>(from.size()), true}}, [to, from] {
      if (!from.empty()) std::memcpy(at(to), from.data(), from.size());
      return Status();
    });
  }
  Status copyOut(std::span<std::byte> to, DeviceAddress from) override {
    return give({{from, static_cast<int64_t>(to.size()), false}}, [to, from] {
      if (!to.empty()) std::memcpy(to.data(), at(from), to.size());
      return Status();
    });
  }
  Status copy(DeviceAddress to, DeviceAddress from, int64_t bytes) override {
    return give({{from, bytes, false}, {to, bytes, true}}, [to, from, bytes] {
      if (bytes > 0) std::memmove(at(to), at(from), static_cast<size_t>(bytes));
      return Status();
    });
  }
  Status fill(DeviceAddress to, std::byte value, int64_t bytes) override {
    return give({{to, bytes, true}}, [to, value, bytes] {
      if (bytes > 0) std::memset(at(to), std::to_integer<int>(value), static_cast<size_t>(bytes));
      return Status();
    });
  }
  Status launch(const DeviceKernel& kernel, const LaunchShape& shape,
                std::span<const void* const> arguments) override;
  Status record(Event& event) override {
    const std::lock_guard lock(device_.streams.mutex());
    return device_.streams.record(number_, static_cast<SimulatedEvent&>(event).recorded());
  }
  Status waitFor(Event& event) override {
    const std::lock_guard lock(device_.streams.mutex());
    return device_.streams.waitFor(number_, static_cast<SimulatedEvent&>(event).recorded());
  }
  Status synchronize() override {
    const std::lock_guard lock(device_.streams.mutex());
    return device_.streams.finish(number_);
  }
  void note(WorkNote note) override { note_ = std::make_shared<const WorkNote>(std::move(note)); }

 private:
  struct Touch {
    DeviceAddress address;
    int64_t bytes;
    bool writes;
  };
  Status give(std::vector<Touch> touches, std::function<Status()> work);
  void noteUses(std::span<const WorkNote::Use> uses);
  std::string nameOf(DeviceAddress address) const;

  Simulation& device_;
  uint32_t number_ = 0;
  std::shared_ptr<const WorkNote> note_ = std::make_shared<const WorkNote>();
};

// Whether other streams are done with the bytes.
void SimulatedStream::noteUses(std::span<const WorkNote::Use> uses) {
  StreamClock before;
  const StreamOrder::User user = device_.streams.next(number_, note_->name, before);
  if (!device_.options.isChecked) return;
  for (const WorkNote::Use& use : uses)
    device_.order.use(user, before, static_cast<uint64_t>(use.at), static_cast<uint64_t>(use.bytes),
                      use.writes, use.name);
}

std::string SimulatedStream::nameOf(DeviceAddress address) const {
  for (const WorkNote::Use& use : note_->uses) {
    if (at(address) >= at(use.at) && at(address) < at(use.at) + use.bytes) return use.name;
  }
  return fmt::format("the memory at {}", static_cast<const void*>(at(address)));
}

Status SimulatedStream::give(std::vector<Touch> touches, std::function<Status()> work) {
  const std::lock_guard lock(device_.streams.mutex());
  std::vector<WorkNote::Use> uses;
  for (const Touch& touch : touches)
    uses.push_back({touch.address, touch.bytes, nameOf(touch.address), touch.writes});
  noteUses(uses);
  return device_.streams.give(number_,
                              [this, touches = std::move(touches), work = std::move(work)]() -> Status {
                                for (const Touch& touch : touches)
                                  TRY_STATUS(device_.memory.check(at(touch.address), touch.bytes));
                                TRY_STATUS(work());
                                for (const Touch& touch : touches) {
                                  if (touch.writes)
                                    device_.memory.markWritten(at(touch.address), touch.bytes);
                                }
                                return {};
                              });
}

Result<DeviceAddress> SimulatedStream::allocate(int64_t bytes) {
  const std::lock_guard lock(device_.streams.mutex());
  if (!device_.streams.failure()) return std::unexpected(device_.streams.failure().error());
  const auto pattern = device_.options.orderSeed ? std::optional(std::byte{0xff}) : std::nullopt;
  TRY(std::byte* const memory, device_.memory.allocate(bytes, pattern));
  const WorkNote::Use all{addressOf(memory), bytes, fmt::format("{} bytes that it allocated", bytes), true};
  noteUses({&all, 1});
  return all.at;
}

Status SimulatedStream::free(DeviceAddress address) {
  const std::lock_guard lock(device_.streams.mutex());
  const int64_t bytes = device_.memory.bytesAt(at(address));
  const WorkNote::Use all{address, bytes, fmt::format("{} bytes that it frees", bytes), true};
  noteUses({&all, 1});
  device_.order.forget(static_cast<uint64_t>(address), static_cast<uint64_t>(bytes));
  return device_.streams.give(number_, [this, address] { return device_.memory.free(at(address)); });
}

Status SimulatedStream::launch(const DeviceKernel& launched, const LaunchShape& shape,
                               std::span<const void* const> arguments) {
  const auto& kernel = static_cast<const SimulatedDeviceKernel&>(launched);
  const auto& params = kernel.kernel().params;
  if (arguments.size() != params.size())
    return fail("wrong-launch", fmt::format("{} takes {} parameters, and {} are given", kernel.kernel().name,
                                            params.size(), arguments.size()));
  std::vector<std::byte> bytes(kernel.kernel().paramBytes);
  for (size_t i = 0; i < params.size(); ++i)
    std::memcpy(bytes.data() + params[i].offset, arguments[i], params[i].bytes);
  const std::lock_guard lock(device_.streams.mutex());
  noteUses(note_->uses);
  return device_.streams.give(
      number_, [this, &kernel, shape, bytes = std::move(bytes), note = note_]() -> Status {
        const bool isChecked = device_.options.isChecked;
        SimulatedMemory memory;
        if (isChecked) {
          TRY(memory, device_.memory.memoryFor(note->uses));
        }
        const auto dim = [](const LaunchExtent& extent) { return SimDim{extent.x, extent.y, extent.z}; };
        auto report = kernel.module().launch({.kernel = kernel.kernel().name,
                                              .grid = dim(shape.grid),
                                              .block = dim(shape.block),
                                              .cluster = dim(shape.cluster),
                                              .sharedBytes = shape.sharedBytes,
                                              .params = bytes},
                                             isChecked ? &memory : nullptr);
        if (!report) {
          report.error().place.instruction = note->name;
          return std::unexpected(std::move(report).error());
        }
        if (isChecked) device_.memory.keepWritten(memory, note->uses);
        for (Diagnostic& finding : report->findings) {
          finding.place.instruction = note->name;
          device_.findings.push_back(std::move(finding));
        }
        return {};
      });
}

// Its nodes are given to the stream one after the other; loops and choices wait for all before them.
class SimulatedGraph final : public DeviceGraph {
 public:
  explicit SimulatedGraph(WorkGraph work) : work_(std::move(work)) {}
  Status update(const WorkGraph& work) override {
    work_ = work;
    return {};
  }
  Status launch(Stream& stream) override { return launch(work_, stream); }

 private:
  static Status launch(const WorkGraph& work, Stream& stream) {
    for (const WorkNode& node : work) {
      stream.note(node.note);
      TRY_STATUS(launch(node, stream));
    }
    return {};
  }
  static Status launch(const WorkNode& node, Stream& stream) {
    switch (node.kind) {
      case WorkNode::Kind::Kernel: {
        std::vector<const void*> arguments;
        for (const auto& argument : node.arguments) arguments.push_back(argument.data());
        return stream.launch(*node.kernel, node.shape, arguments);
      }
      case WorkNode::Kind::Copy:
        return stream.copy(node.to, node.from, node.bytes);
      case WorkNode::Kind::Loop:
        while (true) {
          TRY(const int32_t holds, read(node, stream));
          if (holds == 0) return {};
          TRY_STATUS(launch(node.bodies[0], stream));
          stream.note(node.note);
        }
      case WorkNode::Kind::Choice: {
        TRY(const int32_t chosen, read(node, stream));
        const auto last = static_cast<int32_t>(node.bodies.size()) - 1;
        const int32_t branch =
            node.byPred ? (chosen != 0 ? 0 : 1) : (chosen < 0 || chosen > last ? last : chosen);
        return launch(node.bodies[static_cast<size_t>(branch)], stream);
      }
    }
    return {};
  }
  static Result<int32_t> read(const WorkNode& node, Stream& stream) {
    std::byte bytes[sizeof(int32_t)] = {};
    TRY_STATUS(stream.copyOut({bytes, node.byPred ? 1 : sizeof(bytes)}, node.selector));
    TRY_STATUS(stream.synchronize());
    return std::bit_cast<int32_t>(bytes);
  }

  WorkGraph work_;
};

class SharedMemoryOfHost final : public HostMemory {
 public:
  SharedMemoryOfHost(Simulation& device, std::span<std::byte> bytes) : HostMemory(bytes), device_(device) {
    device_.memory.markWritten(bytes.data(), static_cast<int64_t>(bytes.size()));
  }
  ~SharedMemoryOfHost() override {
    const std::lock_guard lock(device_.streams.mutex());
    (void)device_.memory.free(bytes().data());
  }

 private:
  Simulation& device_;
};

class SimulatedDevice final : public Device {
 public:
  explicit SimulatedDevice(SimulatedDeviceOptions options) : simulation_(std::move(options)) {
    facts_ = {.name = "a simulated GPU",
              .memoryBytes = simulation_.options.memoryBytes,
              .processors = 1,
              .capabilityMajor = 9,
              .warpThreads = 32,
              .mostBlockThreads = 1024,
              .mostBlockX = 1024,
              .mostBlockY = 1024,
              .mostBlockZ = 64,
              .mostGridX = (int64_t{1} << 31) - 1,
              .mostGridY = 65535,
              .mostGridZ = 65535,
              .blockSharedBytes = 49152,
              .blockSharedBytesOptIn = 232448,
              .hasClusters = true,
              .hasMemoryPools = true};
  }
  const DeviceFacts& facts() const override { return facts_; }
  Result<int64_t> freeBytes() override { return simulation_.memory.freeBytes(); }
  Result<int64_t> takeMostHeldBytes() override {
    const std::lock_guard lock(simulation_.streams.mutex());
    return simulation_.memory.takeMostBytes();
  }
  Result<std::unique_ptr<Stream>> makeStream() override {
    return std::make_unique<SimulatedStream>(simulation_);
  }
  Result<std::unique_ptr<Event>> makeEvent() override {
    return std::make_unique<SimulatedEvent>(simulation_);
  }
  Result<std::unique_ptr<HostMemory>> allocateHost(int64_t bytes) override {
    const std::lock_guard lock(simulation_.streams.mutex());
    TRY(std::byte* const memory, simulation_.memory.allocate(bytes, std::nullopt));
    return std::make_unique<SharedMemoryOfHost>(simulation_, std::span(memory, static_cast<size_t>(bytes)));
  }
  Result<std::unique_ptr<DeviceCode>> load(std::span<const std::byte> code,
                                           const std::string& name) override {
    const std::string_view ptx(reinterpret_cast<const char*>(code.data()), code.size());
    TRY(SimulatedModule module, simulation_.options.load(ptx, name, simulation_.options.isChecked));
    return std::make_unique<SimulatedDeviceCode>(std::move(module));
  }
  Result<std::unique_ptr<DeviceGraph>> makeGraph(const WorkGraph& work) override {
    return std::make_unique<SimulatedGraph>(work);
  }
  std::string whyNoLoopsInGraphs() const override { return ""; }
  bool takesNotes() const override { return true; }
  Diagnostics takeFindings() override {
    const std::lock_guard lock(simulation_.streams.mutex());
    Diagnostics all = simulation_.order.take();
    std::ranges::move(simulation_.findings, std::back_inserter(all));
    simulation_.findings.clear();
    return all;
  }

 private:
  Simulation simulation_;
  DeviceFacts facts_;
};

}  // namespace

std::unique_ptr<Device> makeSimulatedDevice(SimulatedDeviceOptions options) {
  return std::make_unique<SimulatedDevice>(std::move(options));
}

}  // namespace hilo
