#include "ui/canvas/layout/layout_files.h"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[8] = {'H', 'i', 'l', 'o', 'L', 'a', 'y', '2'};
constexpr uintmax_t kMaxFileBytes = 16 << 20;

// Numbers as they lie in memory: the files stay on the machine that wrote them.
struct Head {
  char magic[8];
  uint64_t checksum;  // of all that follows the head
  uint32_t nodes;
  uint32_t edges;
  uint32_t points;
  float width;
  float height;
  uint32_t engine;
};

template <typename T>
void append(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <typename T>
void take(std::string_view& bytes, size_t count, std::vector<T>& values) {
  values.resize(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
}

bool isSound(const LayoutResult& result) {
  auto finite = [](const LayoutPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); };
  return std::ranges::is_sorted(result.lineStart) && result.lineStart.back() == result.points.size() &&
         std::ranges::all_of(result.centres, finite) && std::ranges::all_of(result.points, finite) &&
         std::isfinite(result.width) && std::isfinite(result.height);
}

std::string readWhole(const fs::path& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error || size > kMaxFileBytes) return {};
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

}  // namespace

LayoutFiles::LayoutFiles(fs::path folder, size_t limit) : folder_(std::move(folder)), limit_(limit) {}

fs::path LayoutFiles::pathOf(const LayoutKey& key) const {
  return folder_ / fmt::format("{:016x}{:016x}", key.high, key.low);
}

std::optional<LayoutResult> LayoutFiles::read(const LayoutKey& key, const LayoutInput& input) const {
  const std::string bytes = readWhole(pathOf(key));
  Head head;
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  std::string_view rest(bytes);
  rest.remove_prefix(sizeof head);
  const uint64_t size = (uint64_t{head.nodes} + head.points) * sizeof(LayoutPoint) +
                        (uint64_t{head.edges} + 1) * sizeof(uint32_t) + head.edges;
  const bool known = head.engine == static_cast<uint32_t>(LayoutEngine::kDot) ||
                     head.engine == static_cast<uint32_t>(LayoutEngine::kLayered);
  const bool fits = known && head.nodes == input.nodes.size() && head.edges == input.edges.size();
  if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0 || !fits || rest.size() != size ||
      XXH3_64bits(rest.data(), rest.size()) != head.checksum) {
    return std::nullopt;
  }
  LayoutResult result;
  result.engine = static_cast<LayoutEngine>(head.engine);
  result.width = head.width;
  result.height = head.height;
  take(rest, head.nodes, result.centres);
  take(rest, head.points, result.points);
  take(rest, size_t{head.edges} + 1, result.lineStart);
  take(rest, head.edges, result.shortened);
  if (!isSound(result)) return std::nullopt;
  return result;
}

void LayoutFiles::write(const LayoutKey& key, const LayoutResult& result) const {
  std::string content;
  append(content, result.centres);
  append(content, result.points);
  append(content, result.lineStart);
  append(content, result.shortened);
  Head head{{},
            XXH3_64bits(content.data(), content.size()),
            static_cast<uint32_t>(result.centres.size()),
            static_cast<uint32_t>(result.shortened.size()),
            static_cast<uint32_t>(result.points.size()),
            result.width,
            result.height,
            static_cast<uint32_t>(result.engine)};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  std::error_code error;
  fs::create_directories(folder_, error);
  // Another program may read meanwhile: it sees the whole file or none.
  const fs::path path = pathOf(key);
  fs::path half = path;
  half += fmt::format(".{}", getpid());
  {
    std::ofstream file(half, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&head), sizeof head);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) fs::rename(half, path, error);
  if (error) fs::remove(half, error);
  removeOldest();
}

void LayoutFiles::removeOldest() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const auto time = entry.last_write_time(error);
    if (!error) files.emplace_back(time, entry.path());
  }
  if (files.size() <= limit_) return;
  // A tenth at once, so that not every layout has to look.
  const size_t surplus = files.size() - limit_ + limit_ / 10;
  std::ranges::nth_element(files,
                           files.begin() + static_cast<ptrdiff_t>(std::min(surplus, files.size() - 1)));
  for (size_t i = 0; i < std::min(surplus, files.size()); ++i) fs::remove(files[i].second, error);
}

}  // namespace hilo
