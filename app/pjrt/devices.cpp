// Devices, what describes them, and the one memory that each has.
#include "app/pjrt/functions.h"

namespace hilo {

PjrtMemory::~PjrtMemory() {
  for (const UserData& data : userData) {
    if (data.destroy != nullptr) data.destroy(data.data);
  }
}

void* memoryData(PjrtMemory* memory, const void* key) {
  const std::lock_guard lock(memory->mutex);
  const auto found = std::ranges::find(memory->userData, key, &PjrtMemory::UserData::key);
  return found == memory->userData.end() ? nullptr : found->data;
}

void setMemoryData(PjrtMemory* memory, const void* key, void* data, void (*destroy)(void*)) {
  const std::lock_guard lock(memory->mutex);
  const auto found = std::ranges::find(memory->userData, key, &PjrtMemory::UserData::key);
  if (found == memory->userData.end()) {
    memory->userData.push_back({key, data, destroy});
    return;
  }
  if (found->destroy != nullptr) found->destroy(found->data);
  *found = {key, data, destroy};
}

namespace {

Status id(PjrtDescriptionNumber& in) {
  in.number = in.description->number;
  return {};
}
Status processIndex(PjrtDescriptionNumber& in) {
  in.number = 0;
  return {};
}
Status noAttributes(PjrtDescriptionAttributes& in) {
  in.count = 0;
  in.attributes = nullptr;
  return {};
}
Status kind(PjrtDescriptionText& in) {
  in.text = textOf(in.description->kind);
  return {};
}
Status text(PjrtDescriptionText& in) {
  in.text = textOf(in.description->text);
  return {};
}
Status description(PjrtDeviceDescription& in) {
  in.description = in.device->description;
  return {};
}
Status isAddressable(PjrtDeviceFlag& in) {
  in.value = true;
  return {};
}
Status hardwareId(PjrtDeviceNumber& in) {
  in.number = in.device->description->number;
  return {};
}
Status memories(PjrtDeviceMemories& in) {
  in.memories = in.device->memories;
  in.count = std::size(in.device->memories);
  return {};
}
Status defaultMemory(PjrtDeviceMemory& in) {
  in.memory = in.device->memory.get();
  return {};
}
Status deviceAttributes(PjrtDeviceAttributes& in) {
  in.attributes = nullptr;
  in.count = 0;
  in.holder = nullptr;
  in.destroy = [](void*) {};
  return {};
}

Status memoryId(PjrtMemoryNumber& in) {
  in.number = in.memory->device->description->number;
  return {};
}
Status memoryKindId(PjrtMemoryNumber& in) {
  in.number = 0;
  return {};
}
Status memoryKind(PjrtMemoryText& in) {
  in.text = {"device", 6};
  return {};
}
Status memoryText(PjrtMemoryText& in) {
  in.text = textOf(in.memory->text);
  return {};
}
Status memoryDevices(PjrtMemoryDevices& in) {
  in.devices = &in.memory->device;
  in.count = 1;
  return {};
}

}  // namespace

std::span<const PjrtFunctionRow> deviceRows() {
  using enum PjrtFunction;
  static constexpr PjrtFunctionRow kRows[] = {
      row<DeviceDescription_Id, id>(),
      row<DeviceDescription_ProcessIndex, processIndex>(),
      row<DeviceDescription_Attributes, noAttributes>(),
      row<DeviceDescription_Kind, kind>(),
      row<DeviceDescription_DebugString, text>(),
      row<DeviceDescription_ToString, text>(),
      row<Device_GetDescription, description>(),
      row<Device_IsAddressable, isAddressable>(),
      row<Device_LocalHardwareId, hardwareId>(),
      row<Device_AddressableMemories, memories>(),
      row<Device_DefaultMemory, defaultMemory>(),
      row<Device_GetAttributes, deviceAttributes>(),
      row<Memory_Id, memoryId>(),
      row<Memory_Kind, memoryKind>(),
      row<Memory_Kind_Id, memoryKindId>(),
      row<Memory_DebugString, memoryText>(),
      row<Memory_ToString, memoryText>(),
      row<Memory_AddressableByDevices, memoryDevices>(),
  };
  return kRows;
}

}  // namespace hilo
