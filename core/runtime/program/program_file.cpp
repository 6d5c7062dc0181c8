#include "core/runtime/program/program_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>

#include "core/base/check.h"

namespace hilo {
namespace {

constexpr char kMagic[8] = {'H', 'I', 'L', 'O', 'P', 'R', 'O', 'G'};
constexpr uint32_t kVersion = 2;
constexpr int kMaxShapeDepth = 64;

class Writer {
 public:
  std::vector<std::byte> bytes;

  void raw(const void* data, size_t count) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + count);
  }
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(const char*, T value) {
    raw(&value, sizeof(T));
  }
  void operator()(const char*, const std::string& text) {
    (*this)("", static_cast<uint64_t>(text.size()));
    raw(text.data(), text.size());
  }
  void operator()(const char*, const std::vector<std::byte>& blob) {
    (*this)("", static_cast<uint64_t>(blob.size()));
    raw(blob.data(), blob.size());
  }
  template <typename T>
  void operator()(const char*, const std::vector<T>& items) {
    (*this)("", static_cast<uint64_t>(items.size()));
    for (const T& item : items) (*this)("", item);
  }
  void operator()(const char*, const Shape& shape) {
    (*this)("", shape.elementType());
    if (shape.isTuple()) {
      (*this)("", std::vector<Shape>(shape.tupleShapes().begin(), shape.tupleShapes().end()));
    } else if (shape.isArray()) {
      (*this)("", std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end()));
      (*this)("", shape.isDynamic());
      for (size_t d = 0; shape.isDynamic() && d < shape.rank(); ++d) (*this)("", shape.isDynamicDimension(d));
      const Layout* layout = shape.layout();
      (*this)("", layout != nullptr);
      if (layout != nullptr) (*this)("", layout->minorToMajor);
    }
  }
  void operator()(const char*, const Thunk& thunk) {
    (*this)("", thunk.name);
    (*this)("", thunk.instruction);
    (*this)("", thunk.costNs);
    (*this)("", thunk.kind());
    std::visit([&](const auto& body) { (*this)("", body); }, thunk.body);
  }
  void operator()(const char*, const std::monostate&) {}
  template <typename T>
    requires requires(T& value, Writer& writer) { T::visit(value, writer); }
  void operator()(const char*, const T& value) {
    T::visit(value, *this);
  }
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool atEnd() const { return rest_.empty(); }

  void raw(void* data, size_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      return;
    }
    if (count != 0) std::memcpy(data, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }
  void operator()(const char*, bool& value) {
    uint8_t byte = 0;
    raw(&byte, 1);
    value = byte != 0;
  }
  template <typename T>
    requires std::is_arithmetic_v<T>
  void operator()(const char*, T& value) {
    raw(&value, sizeof(T));
  }
  void operator()(const char*, ElementType& value) { enumerator(value, kElementTypeCount); }
  void operator()(const char*, ThunkKind& value) { enumerator(value, kThunkKindCount); }
  void operator()(const char*, AllocationKind& value) { enumerator(value, 3); }
  void operator()(const char*, std::string& text) {
    text.resize(count(1));
    raw(text.data(), text.size());
  }
  void operator()(const char*, std::vector<std::byte>& blob) {
    blob.resize(count(1));
    raw(blob.data(), blob.size());
  }
  template <typename T>
  void operator()(const char*, std::vector<T>& items) {
    // Every item takes a byte of the file at least, so the list grows no faster than the file.
    const uint64_t n = count(1);
    for (uint64_t i = 0; i < n && ok_; ++i) (*this)("", items.emplace_back());
  }
  void operator()(const char*, Shape& shape) { shape = readShape(0); }
  void operator()(const char*, Thunk& thunk) {
    (*this)("", thunk.name);
    (*this)("", thunk.instruction);
    (*this)("", thunk.costNs);
    ThunkKind kind{};
    (*this)("", kind);
    switch (kind) {
#define THUNK(name, ...)                                          \
  case ThunkKind::name:                                           \
    name##Thunk::visit(thunk.body.emplace<name##Thunk>(), *this); \
    break;
#include "core/runtime/program/thunks.def"
    }
  }
  template <typename T>
    requires requires(T& value, Reader& reader) { T::visit(value, reader); }
  void operator()(const char*, T& value) {
    T::visit(value, *this);
  }

 private:
  template <typename T>
  void enumerator(T& value, int limit) {
    uint8_t number = 0;
    raw(&number, 1);
    if (number >= limit) {
      ok_ = false;
      number = 0;
    }
    value = static_cast<T>(number);
  }
  uint64_t count(uint64_t itemBytes) {
    uint64_t n = 0;
    raw(&n, sizeof(n));
    if (n > rest_.size() / itemBytes) ok_ = false;
    return ok_ ? n : 0;
  }
  Shape readShape(int depth) {
    ElementType type{};
    (*this)("", type);
    if (!ok_ || depth > kMaxShapeDepth) {
      ok_ = false;
      return {};
    }
    if (type == ElementType::Tuple) {
      std::vector<Shape> elements;
      for (uint64_t n = count(1); n > 0 && ok_; --n) elements.push_back(readShape(depth + 1));
      return ok_ ? Shape::tuple(elements) : Shape();
    }
    if (type == ElementType::Token) return Shape::token();
    if (!isArrayElement(type)) {
      ok_ = false;
      return {};
    }
    std::vector<int64_t> dimensions;
    (*this)("", dimensions);
    bool isDynamic = false;
    (*this)("", isDynamic);
    std::unique_ptr<bool[]> dynamic(new bool[dimensions.size()]());
    for (size_t d = 0; isDynamic && ok_ && d < dimensions.size(); ++d) (*this)("", dynamic[d]);
    bool hasLayout = false;
    (*this)("", hasLayout);
    Layout layout;
    if (hasLayout) (*this)("", layout.minorToMajor);
    std::vector<int64_t> sorted = layout.minorToMajor;
    std::ranges::sort(sorted);
    for (size_t i = 0; i < sorted.size(); ++i) ok_ &= sorted[i] == static_cast<int64_t>(i);
    ok_ &= !hasLayout || sorted.size() == dimensions.size();
    ok_ &= std::ranges::all_of(dimensions, [](int64_t size) { return size >= 0; });
    if (!ok_) return {};
    return Shape::dynamicArray(type, dimensions, {dynamic.get(), isDynamic ? dimensions.size() : 0},
                               hasLayout ? &layout : nullptr);
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

// The one list of what a program's file holds, for writing and reading.
template <typename ProgramType, typename V>
void visitProgram(ProgramType& program, V& v) {
  v("name", program.name);
  v("moduleHash", program.moduleHash);
  v("triple", program.target.triple);
  v("cpu", program.target.cpu);
  v("features", program.target.features);
  v("parameters", program.parameters);
  v("result", program.result);
  v("allocations", program.allocations);
  v("resultSlices", program.resultSlices);
  v("resultSizes", program.resultSizes);
  v("constants", program.constants);
  v("objects", program.objects);
  v("kernels", program.kernels);
  v("sequences", program.sequences);
}

constexpr size_t kHeaderBytes = sizeof(kMagic) + sizeof(kVersion);

}  // namespace

std::vector<std::byte> serialize(const Program& program) {
  Writer writer;
  writer.raw(kMagic, sizeof(kMagic));
  writer("version", kVersion);
  visitProgram(program, writer);
  const uint64_t checksum = XXH3_64bits(writer.bytes.data(), writer.bytes.size());
  writer("checksum", checksum);
  return std::move(writer.bytes);
}

Result<Program> deserialize(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(kMagic) || std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0)
    return fail("not-a-program", "the file is not a compiled program");
  if (bytes.size() < kHeaderBytes + sizeof(uint64_t))
    return fail("truncated-file", "the file of the program ends early");
  uint32_t version = 0;
  std::memcpy(&version, bytes.data() + sizeof(kMagic), sizeof(version));
  if (version != kVersion) {
    return fail("wrong-version",
                fmt::format("the program has format {}, and this build reads {}", version, kVersion), {},
                {"compile the module again"});
  }
  uint64_t checksum = 0;
  const auto content = bytes.first(bytes.size() - sizeof(checksum));
  std::memcpy(&checksum, bytes.data() + content.size(), sizeof(checksum));
  if (checksum != XXH3_64bits(content.data(), content.size()))
    return fail("damaged-file", "the checksum of the program does not fit its content");
  Reader reader(content.subspan(kHeaderBytes));
  Program program;
  visitProgram(program, reader);
  if (!reader.ok() || !reader.atEnd())
    return fail("malformed-program", "the fields of the program do not fit its file");
  TRY_STATUS(checkProgram(program));
  return program;
}

Status saveProgram(const Program& program, const std::string& path) {
  const auto bytes = serialize(program);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) return fail("cannot-write", fmt::format("cannot write {}", path));
  return {};
}

Result<Program> loadProgram(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return fail("file-not-found", fmt::format("cannot read {}", path));
  std::vector<std::byte> bytes(static_cast<size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in) return fail("truncated-file", fmt::format("cannot read all of {}", path));
  return deserialize(bytes);
}

}  // namespace hilo
