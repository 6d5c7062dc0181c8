#include "core/compiler/codegen/cpu/disassembly.h"

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/Object/ObjectFile.h>

#include <map>

namespace hilo {
namespace {

using Names = std::multimap<uint64_t, std::string>;  // by offset in a section

std::string nameOf(const llvm::object::SymbolRef& symbol) {
  llvm::Expected<llvm::StringRef> name = symbol.getName();
  if (name) return name->str();
  llvm::consumeError(name.takeError());
  return "";
}

Names functionsIn(const llvm::object::ObjectFile& object, const llvm::object::SectionRef& section) {
  Names names;
  for (const llvm::object::SymbolRef& symbol : object.symbols()) {
    llvm::Expected<llvm::object::section_iterator> in = symbol.getSection();
    llvm::Expected<uint64_t> value = symbol.getValue();
    if (in && value && *in != object.section_end() && **in == section) names.emplace(*value, nameOf(symbol));
    if (!in) llvm::consumeError(in.takeError());
    if (!value) llvm::consumeError(value.takeError());
  }
  return names;
}

Names referencesIn(const llvm::object::ObjectFile& object, const llvm::object::SectionRef& section) {
  Names names;
  for (const llvm::object::SectionRef& relocations : object.sections()) {
    llvm::Expected<llvm::object::section_iterator> of = relocations.getRelocatedSection();
    if (!of) {
      llvm::consumeError(of.takeError());
      continue;
    }
    if (*of == object.section_end() || **of != section) continue;
    for (const llvm::object::RelocationRef& at : relocations.relocations()) {
      if (at.getSymbol() != object.symbol_end()) names.emplace(at.getOffset(), nameOf(*at.getSymbol()));
    }
  }
  return names;
}

// One section that holds code. Jumps within it get labels, for which it is read twice.
class CodeSection {
 public:
  CodeSection(llvm::StringRef bytes, Names functions, Names references, const ProgramTarget& target)
      : code_(bytes.bytes_begin(), bytes.bytes_end()),
        functions_(std::move(functions)),
        references_(std::move(references)),
        context_(LLVMCreateDisasmCPU(target.triple.c_str(), target.processor.c_str(), this, 0, nullptr,
                                     labelOf)) {}
  ~CodeSection() {
    if (context_ != nullptr) LLVMDisasmDispose(context_);
  }
  CodeSection(const CodeSection&) = delete;
  CodeSection& operator=(const CodeSection&) = delete;

  bool isReadable() const { return context_ != nullptr; }
  std::string list() {
    read();
    return read();
  }

 private:
  // What LLVM asks of each address that an instruction refers to.
  static const char* labelOf(void* section, uint64_t address, uint64_t* type, uint64_t at,
                             const char** name) {
    auto& self = *static_cast<CodeSection*>(section);
    const bool isBranch = *type == LLVMDisassembler_ReferenceType_In_Branch;
    *type = LLVMDisassembler_ReferenceType_InOut_None;
    *name = nullptr;
    // Where a relocation stands in the operand, the address says nothing yet.
    const bool isRelocated = self.references_.contains(at + 1) || self.references_.contains(at + 2);
    if (!isBranch || isRelocated || address >= self.code_.size()) return nullptr;
    return self.labels_.try_emplace(address, fmt::format(".L{:x}", address)).first->second.c_str();
  }

  std::string read() {
    std::string out;
    for (uint64_t at = 0; at < code_.size();) {
      const auto [first, last] = functions_.equal_range(at);
      for (auto name = first; name != last; ++name) out += name->second.empty() ? "" : name->second + ":\n";
      if (const auto label = labels_.find(at); label != labels_.end()) out += label->second + ":\n";
      char text[256] = "";
      const size_t size =
          LLVMDisasmInstruction(context_, code_.data() + at, code_.size() - at, at, text, sizeof(text));
      const uint64_t next = at + std::max<size_t>(1, size);
      out += size == 0 ? fmt::format("\t.byte\t{:#04x}", code_[at]) : std::string(text);
      for (auto name = references_.lower_bound(at); name != references_.end() && name->first < next; ++name)
        out += name->second.empty() ? "" : "  # " + name->second;
      out += '\n';
      at = next;
    }
    return out;
  }

  std::vector<uint8_t> code_;
  Names functions_, references_;
  std::map<uint64_t, std::string> labels_;
  LLVMDisasmContextRef context_;
};

void makeReady() {
  static const bool ready = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    return true;
  }();
  (void)ready;
}

}  // namespace

Result<std::string> disassemble(std::span<const std::byte> object, const ProgramTarget& target) {
  makeReady();
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
  if (!file) return fail("damaged-file", "the kernel's code: " + llvm::toString(file.takeError()));
  std::string out;
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    if (!section.isText()) continue;
    auto contents = section.getContents();
    if (!contents) return fail("damaged-file", "the kernel's code: " + llvm::toString(contents.takeError()));
    CodeSection code(*contents, functionsIn(**file, section), referencesIn(**file, section), target);
    if (!code.isReadable())
      return fail("wrong-machine", fmt::format("code for {} cannot be read here", target.triple));
    out += code.list();
  }
  return out;
}

}  // namespace hilo
