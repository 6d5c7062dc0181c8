#include <fmt/format.h>

#include "app/pjrt/functions.h"
#include "app/pjrt/platform.h"

namespace hilo {

void* memoryData(PjrtMemory* memory, const void* key);
void setMemoryData(PjrtMemory* memory, const void* key, void* data, void (*destroy)(void*));

namespace {

constexpr PjrtMemoryFunctions kMemoryFunctions = {sizeof(PjrtMemoryFunctions), memoryData, setMemoryData};

Status create(PjrtClientCreate& in) {
  TRY(const PjrtSettings settings, settingsFrom(in.options, in.optionCount));
  auto client = std::make_unique<PjrtClient>();
  client->topology = topologyOf(settings);
  for (PjrtDescription* description : client->topology->list) {
    auto device = std::make_unique<PjrtDevice>();
    device->client = client.get();
    device->description = description;
    device->memory = std::make_unique<PjrtMemory>();
    device->memory->functions = &kMemoryFunctions;
    device->memory->device = device.get();
    device->memory->text = fmt::format("memory of {}", description->text);
    device->memories[0] = device->memory.get();
    client->deviceList.push_back(device.get());
    client->memoryList.push_back(device->memory.get());
    client->devices.push_back(std::move(device));
  }
  in.client = client.release();
  return {};
}

Status destroy(PjrtClientArgs& in) {
  delete in.client;
  return {};
}
Status platformName(PjrtClientText& in) {
  in.text = textOf(platform());
  return {};
}
Status platformVersion(PjrtClientText& in) {
  in.text = textOf(in.client->topology->version);
  return {};
}
Status processIndex(PjrtClientIndex& in) {
  in.index = 0;
  return {};
}
Status topology(PjrtClientTopology& in) {
  in.topology = in.client->topology.get();
  return {};
}
Status devices(PjrtClientDevices& in) {
  in.devices = in.client->deviceList.data();
  in.count = in.client->deviceList.size();
  return {};
}
Status memories(PjrtClientMemories& in) {
  in.memories = in.client->memoryList.data();
  in.count = in.client->memoryList.size();
  return {};
}
Status lookupDevice(PjrtLookupDevice& in) {
  if (in.number < 0 || std::cmp_greater_equal(in.number, in.client->deviceList.size()))
    return fail("no-device", fmt::format("there is no device {}", in.number));
  in.device = in.client->deviceList[static_cast<size_t>(in.number)];
  return {};
}

// Device r * partitions + p runs partition p of replica r.
Status assignment(PjrtDeviceAssignment& in) {
  const int64_t count = int64_t{in.replicas} * in.partitions;
  if (in.replicas < 1 || in.partitions < 1 || std::cmp_greater(count, in.client->deviceList.size()))
    return fail("no-device", fmt::format("{} replicas of {} partitions are more than there are devices",
                                         in.replicas, in.partitions));
  if (std::cmp_less(in.size, count)) return fail("wrong-argument", "there is no room for the assignment");
  for (int64_t i = 0; i < count; ++i) in.assignment[i] = static_cast<int32_t>(i);
  return {};
}

// Ours is loaded where it is compiled.
Status initialize(PjrtHead&) { return {}; }

PjrtNamedValue versionValue(std::string_view name, std::span<const int64_t> value) {
  PjrtNamedValue made{};
  made.structBytes = sizeof(made);
  made.name = name.data();
  made.nameSize = name.size();
  made.kind = PjrtValueKind::Integers;
  made.integers = value.data();
  made.size = value.size();
  return made;
}

// The versions of StableHLO that a framework may write.
Status attributes(PjrtPluginAttributes& in) {
  static constexpr int64_t kXla[] = {2}, kCurrent[] = {1, 0, 0}, kOldest[] = {0, 9, 0};
  static const PjrtNamedValue kValues[] = {versionValue("xla_version", kXla),
                                           versionValue("stablehlo_current_version", kCurrent),
                                           versionValue("stablehlo_minimum_version", kOldest)};
  in.attributes = kValues;
  in.count = std::size(kValues);
  return {};
}

}  // namespace

std::span<const PjrtFunctionRow> clientRows() {
  using enum PjrtFunction;
  static constexpr PjrtFunctionRow kRows[] = {
      row<Plugin_Initialize, initialize>(),
      row<Plugin_Attributes, attributes>(),
      row<Client_Create, create>(),
      row<Client_Destroy, destroy>(),
      row<Client_PlatformName, platformName>(),
      row<Client_PlatformVersion, platformVersion>(),
      row<Client_ProcessIndex, processIndex>(),
      row<Client_TopologyDescription, topology>(),
      row<Client_Devices, devices>(),
      row<Client_AddressableDevices, devices>(),
      row<Client_AddressableMemories, memories>(),
      row<Client_LookupDevice, lookupDevice>(),
      row<Client_LookupAddressableDevice, lookupDevice>(),
      row<Client_DefaultDeviceAssignment, assignment>(),
  };
  return kRows;
}

}  // namespace hilo
