// Fields of an instruction's GPU backend configuration: backend_config as JSON, XLA's GpuBackendConfig.
#pragma once

#include <string>
#include <string_view>

namespace hilo {

class Instruction;

// Sets field `field` of part `part` (such as "collective_backend_config"; "": of the whole) to `value`, JSON
// text such as "true" or "\"7\"", and leaves everything else. False, and nothing is done, where it has that
// value already or the configuration is no JSON object.
bool setGpuConfig(Instruction& instruction, std::string_view part, std::string_view field,
                  std::string_view value);

// Takes the field out, if it is there.
void eraseGpuConfig(Instruction& instruction, std::string_view part, std::string_view field);

// The field as text, a string without its quotes; "" where there is none.
std::string gpuConfig(const Instruction& instruction, std::string_view part, std::string_view field);

// The kind that a fusion names there, such as "__triton_gemm"; "" where it names none, or is no fusion.
std::string gpuFusionKind(const Instruction& instruction);

}  // namespace hilo
