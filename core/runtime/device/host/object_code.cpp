#include "core/runtime/device/host/object_code.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>

namespace hilo {

namespace {
using Symbols = std::map<std::string, std::span<std::byte>, std::less<>>;
}

struct ObjectCode::Mapping {
  std::byte* base = nullptr;
  size_t size = 0;
  Symbols symbols;

  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (base != nullptr) munmap(base, size);
  }
};

namespace {

constexpr uint64_t kPage = 4096;
constexpr size_t kStubBytes = 16;

std::unexpected<Diagnostic> malformed(std::string_view why) {
  return fail("malformed-object", fmt::format("the object code is damaged: {}", why));
}

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// One load: reads the object, lays it out, relocates it. Members fill in the order of the steps.
class Loader {
 public:
  Loader(std::span<const std::byte> object, const ObjectCode::Resolver& resolver)
      : object_(object), resolver_(resolver) {}

  Status readHeaders();
  Status layOut();
  Status placeSymbols(Symbols& exported);
  Status relocate();
  Status protect() const;
  std::byte* base() const { return base_; }
  size_t size() const { return total_; }

 private:
  template <typename T>
  Result<std::span<const T>> table(uint64_t offset, uint64_t bytes) const {
    if (offset > object_.size() || bytes > object_.size() - offset) return malformed("a table ends outside");
    if (bytes % sizeof(T) != 0 || offset % alignof(T) != 0) return malformed("a table is not aligned");
    return std::span(reinterpret_cast<const T*>(object_.data() + offset), bytes / sizeof(T));
  }
  Result<std::string_view> nameAt(uint32_t offset) const {
    if (offset >= names_.size()) return malformed("a name lies outside its table");
    const std::string_view rest = names_.substr(offset);
    const size_t end = rest.find('\0');
    if (end == std::string_view::npos) return malformed("a name has no end");
    return rest.substr(0, end);
  }
  bool isCode(const Elf64_Shdr& section) const { return (section.sh_flags & SHF_EXECINSTR) != 0; }
  bool isLoaded(const Elf64_Shdr& section) const { return (section.sh_flags & SHF_ALLOC) != 0; }
  Status relocateSection(const Elf64_Shdr& relocations);
  Status apply(const Elf64_Rela& relocation, const Elf64_Shdr& section, std::byte* sectionBase);

  std::span<const std::byte> object_;
  const ObjectCode::Resolver& resolver_;
  std::span<const Elf64_Shdr> sections_;
  std::span<const Elf64_Sym> symbols_;
  std::string_view names_;
  std::vector<uint64_t> places_;     // of each loaded section in the mapping
  std::vector<uint64_t> addresses_;  // of each symbol, absolute
  std::byte* base_ = nullptr;
  size_t total_ = 0, codeEnd_ = 0, stubs_ = 0, slots_ = 0, readOnlyEnd_ = 0;
};

Status Loader::readHeaders() {
  TRY(const auto headers, table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr)));
  const Elf64_Ehdr& header = headers[0];
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_type != ET_REL || header.e_machine != EM_X86_64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return malformed("it is not a relocatable object for x86-64");
  }
  TRY(sections_, table<Elf64_Shdr>(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)));
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_SYMTAB) continue;
    TRY(symbols_, table<Elf64_Sym>(section.sh_offset, section.sh_size));
    if (section.sh_link >= sections_.size()) return malformed("symbols have no names");
    const Elf64_Shdr& strings = sections_[section.sh_link];
    TRY(const auto text, table<char>(strings.sh_offset, strings.sh_size));
    names_ = {text.data(), text.size()};
  }
  return {};
}

// Code, a stub a symbol, then read-only data, a slot a symbol, then writable data, each on pages of its own.
Status Loader::layOut() {
  places_.assign(sections_.size(), 0);
  uint64_t at = 0;
  const auto place = [&](auto&& wanted) -> Status {
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      if (!isLoaded(section) || !wanted(section)) continue;
      const uint64_t alignment = std::max<uint64_t>(1, section.sh_addralign);
      if (alignment > kPage || section.sh_size > (uint64_t{1} << 31))
        return malformed("a section is too large");
      at = alignUp(at, alignment);
      places_[i] = at;
      at += section.sh_size;
    }
    return {};
  };
  const auto isWritable = [](const Elf64_Shdr& s) { return (s.sh_flags & SHF_WRITE) != 0; };
  TRY_STATUS(place([&](const Elf64_Shdr& s) { return isCode(s); }));
  stubs_ = at = alignUp(at, kStubBytes);
  codeEnd_ = at = alignUp(at + symbols_.size() * kStubBytes, kPage);
  TRY_STATUS(place([&](const Elf64_Shdr& s) { return !isCode(s) && !isWritable(s); }));
  slots_ = at = alignUp(at, 8);
  readOnlyEnd_ = at = alignUp(at + symbols_.size() * 8, kPage);
  TRY_STATUS(place([&](const Elf64_Shdr& s) { return !isCode(s) && isWritable(s); }));
  total_ = alignUp(std::max<uint64_t>(at, kPage), kPage);
  void* memory = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fail("out-of-memory", fmt::format("no {} bytes for object code", total_));
  base_ = static_cast<std::byte*>(memory);
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (!isLoaded(sections_[i]) || sections_[i].sh_type == SHT_NOBITS) continue;
    TRY(const auto bytes, table<std::byte>(sections_[i].sh_offset, sections_[i].sh_size));
    if (!bytes.empty()) std::memcpy(base_ + places_[i], bytes.data(), bytes.size());
  }
  return {};
}

Status Loader::placeSymbols(Symbols& exported) {
  addresses_.assign(symbols_.size(), 0);
  for (size_t i = 1; i < symbols_.size(); ++i) {
    const Elf64_Sym& symbol = symbols_[i];
    TRY(const std::string_view name, nameAt(symbol.st_name));
    if (symbol.st_shndx == SHN_UNDEF) {
      if (name.empty()) continue;
      void* address = resolver_(name);
      if (address == nullptr)
        return fail("unresolved-symbol", fmt::format("the object code needs {}, which is not known", name));
      addresses_[i] = reinterpret_cast<uint64_t>(address);
    } else if (symbol.st_shndx < sections_.size()) {
      if (!isLoaded(sections_[symbol.st_shndx])) continue;
      if (symbol.st_value > sections_[symbol.st_shndx].sh_size) return malformed("a symbol lies outside");
      std::byte* address = base_ + places_[symbol.st_shndx] + symbol.st_value;
      addresses_[i] = reinterpret_cast<uint64_t>(address);
      const uint64_t most = sections_[symbol.st_shndx].sh_size - symbol.st_value;
      if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
        exported[std::string(name)] = {address, std::min<uint64_t>(symbol.st_size, most)};
    } else if (symbol.st_shndx == SHN_ABS) {
      addresses_[i] = symbol.st_value;
    } else {
      return malformed("a symbol names no section");
    }
    // jmp *0(%rip); .quad address: calls reach any distance.
    std::byte* stub = base_ + stubs_ + i * kStubBytes;
    constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};
    std::memcpy(stub, kJump, sizeof(kJump));
    std::memcpy(stub + sizeof(kJump), &addresses_[i], 8);
    std::memcpy(base_ + slots_ + i * 8, &addresses_[i], 8);
  }
  return {};
}

Status Loader::apply(const Elf64_Rela& relocation, const Elf64_Shdr& section, std::byte* sectionBase) {
  const uint64_t number = ELF64_R_SYM(relocation.r_info);
  const uint32_t type = ELF64_R_TYPE(relocation.r_info);
  if (number >= symbols_.size()) return malformed("a relocation names no symbol");
  const uint64_t width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
  if (relocation.r_offset > section.sh_size || section.sh_size - relocation.r_offset < width)
    return malformed("a relocation lies outside its section");
  std::byte* place = sectionBase + relocation.r_offset;
  const uint64_t here = reinterpret_cast<uint64_t>(place),
                 addend = static_cast<uint64_t>(relocation.r_addend);
  const auto near = [&](uint64_t target) -> Status {
    const auto distance = static_cast<int64_t>(target + addend - here);
    if (distance != static_cast<int32_t>(distance)) return malformed("a relocation reaches too far");
    const auto narrow = static_cast<int32_t>(distance);
    std::memcpy(place, &narrow, sizeof(narrow));
    return {};
  };
  switch (type) {
    case R_X86_64_NONE:
      return {};
    case R_X86_64_64:
    case R_X86_64_PC64: {
      const uint64_t value = addresses_[number] + addend - (type == R_X86_64_PC64 ? here : 0);
      std::memcpy(place, &value, sizeof(value));
      return {};
    }
    case R_X86_64_PC32:
      return near(addresses_[number]);
    case R_X86_64_PLT32:
      return near(reinterpret_cast<uint64_t>(base_ + stubs_ + number * kStubBytes));
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return near(reinterpret_cast<uint64_t>(base_ + slots_ + number * 8));
    default:
      return fail("unsupported-relocation", fmt::format("the object code has a relocation of type {}", type));
  }
}

Status Loader::relocateSection(const Elf64_Shdr& relocations) {
  if (relocations.sh_info >= sections_.size()) return malformed("relocations name no section");
  const Elf64_Shdr& section = sections_[relocations.sh_info];
  if (!isLoaded(section)) return {};
  TRY(const auto list, table<Elf64_Rela>(relocations.sh_offset, relocations.sh_size));
  for (const Elf64_Rela& relocation : list)
    TRY_STATUS(apply(relocation, section, base_ + places_[relocations.sh_info]));
  return {};
}

Status Loader::relocate() {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type == SHT_REL) return fail("unsupported-relocation", "relocations without addends");
    if (section.sh_type == SHT_RELA) TRY_STATUS(relocateSection(section));
  }
  return {};
}

Status Loader::protect() const {
  if (codeEnd_ > 0 && mprotect(base_, codeEnd_, PROT_READ | PROT_EXEC) != 0)
    return fail("out-of-memory", "the system does not let memory be executed");
  if (readOnlyEnd_ > codeEnd_ && mprotect(base_ + codeEnd_, readOnlyEnd_ - codeEnd_, PROT_READ) != 0)
    return fail("out-of-memory", "the system does not let memory be protected");
  return {};
}

}  // namespace

Result<ObjectCode> ObjectCode::load(std::span<const std::byte> object, const Resolver& resolver) {
  // ELF tables are read in place and must be aligned; a program's file promises nothing.
  std::vector<uint64_t> aligned((object.size() + 7) / 8);
  if (!object.empty()) std::memcpy(aligned.data(), object.data(), object.size());
  Loader loader({reinterpret_cast<const std::byte*>(aligned.data()), object.size()}, resolver);
  auto mapping = std::make_shared<Mapping>();
  TRY_STATUS(loader.readHeaders());
  const Status laidOut = loader.layOut();
  mapping->base = loader.base();
  mapping->size = loader.size();
  if (!laidOut) return std::unexpected(laidOut.error());
  TRY_STATUS(loader.placeSymbols(mapping->symbols));
  TRY_STATUS(loader.relocate());
  TRY_STATUS(loader.protect());
  ObjectCode code;
  code.mapping_ = std::move(mapping);
  return code;
}

void* ObjectCode::symbol(std::string_view name) const {
  const auto found = mapping_->symbols.find(name);
  return found == mapping_->symbols.end() ? nullptr : found->second.data();
}

std::span<const std::byte> ObjectCode::code(std::string_view name) const {
  const auto found = mapping_->symbols.find(name);
  return found == mapping_->symbols.end() ? std::span<const std::byte>() : found->second;
}

}  // namespace hilo
