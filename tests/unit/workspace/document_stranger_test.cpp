// Documents from somebody who means harm, or from a bad disk: a Diagnostic, whatever they hold.
#include <sqlite3.h>

#include <fstream>
#include <random>

#include "core/hlo/proto/gzip.h"
#include "core/workspace/path/open_path.h"
#include "tests/unit/workspace/document_fixture.h"

namespace hilo {
namespace {

class DocumentStrangerTest : public DocumentTest {
 protected:
  void execute(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    char* why = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
    sqlite3_close(handle);
  }
  std::string kindAfter(const std::string& sql) {
    writeSample();
    execute(sql);
    const auto read = readDocument(path_);
    std::filesystem::remove(path_);
    return read ? "" : read.error().kind;
  }
};

TEST_F(DocumentStrangerTest, OtherTablesAreRefused) {
  EXPECT_EQ(kindAfter("CREATE TABLE more (x)"), "bad-schema");
  EXPECT_EQ(kindAfter("CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM run; END"), "bad-schema");
  EXPECT_EQ(kindAfter("CREATE VIEW v AS SELECT * FROM item"), "bad-schema");
  EXPECT_EQ(kindAfter("DROP TABLE view_state"), "bad-schema");
  EXPECT_EQ(
      kindAfter("DROP TABLE content; CREATE VIEW content AS SELECT 1 AS item, 'n' AS name, 'b' AS bytes"),
      "bad-schema");
  EXPECT_EQ(kindAfter("PRAGMA user_version = 99"), "store-too-new");
  writeSample();
  execute("CREATE TABLE more (x)");
  EXPECT_EQ(RunStore::open(path_).error().kind, "bad-schema");
  EXPECT_EQ(saveViewState(path_, {{"a", "b"}}).error().kind, "bad-schema");
}

TEST_F(DocumentStrangerTest, ContentsOfAnyKindAreADiagnostic) {
  EXPECT_EQ(kindAfter("UPDATE content SET bytes = X'7A1F8B0800'"), "gzip-truncated");
  EXPECT_EQ(kindAfter("UPDATE content SET bytes = 'q nothing known'"), "gzip-corrupt");
  EXPECT_EQ(kindAfter("UPDATE content SET bytes = 12"), "gzip-corrupt");
  EXPECT_EQ(kindAfter("UPDATE content SET bytes = CAST('pno module at all' AS BLOB)"), "unknown-file-kind");
  EXPECT_EQ(kindAfter("DELETE FROM content"), "store-damaged");
  EXPECT_EQ(kindAfter("DELETE FROM content; DELETE FROM item"), "empty-document");
  EXPECT_EQ(kindAfter("INSERT INTO argument VALUES (1, 0, 0, X'00')"), "corrupt-literal");
  EXPECT_EQ(kindAfter("INSERT INTO series VALUES (1, 1, 's'); "
                      "INSERT INTO series_step VALUES (1, 0, 'n', '', 0, 0, 0, '{', NULL, '', '[]')"),
            "store-damaged");
  // Names of a dump's files lead nowhere outside it.
  EXPECT_EQ(kindAfter("UPDATE item SET kind = 'dump'; UPDATE content SET name = '../../module_1.a.txt'"), "");
}

TEST_F(DocumentStrangerTest, WhatIsTooMuchIsRefused) {
  EXPECT_EQ(kindAfter("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001) "
                      "INSERT INTO view_state SELECT i, 'v' FROM n"),
            "document-too-large");
  // 100 MB of one letter in 100 kB.
  writeSample();
  const std::string bomb = "z" + deflateGzip(std::string(100'000'000, 'a'));
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
  sqlite3_stmt* update = nullptr;
  sqlite3_prepare_v2(handle, "UPDATE content SET bytes = ?", -1, &update, nullptr);
  sqlite3_bind_blob(update, 1, bomb.data(), static_cast<int>(bomb.size()), SQLITE_STATIC);
  EXPECT_EQ(sqlite3_step(update), SQLITE_DONE);
  sqlite3_finalize(update);
  sqlite3_close(handle);
  EXPECT_EQ(readDocument(path_).error().kind, "gzip-too-large");
}

TEST_F(DocumentStrangerTest, AnyByteMayBeWrong) {
  writeSample();
  std::ifstream in(path_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    for (int n = 0; n < 1 + round % 5; ++n) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (round % 10 == 0) bytes.resize(random() % bytes.size());
    std::ofstream(path_, std::ios::binary) << bytes;
    if (!isDocument(path_)) continue;
    const auto read = readDocument(path_);
    if (!read) {
      ++refused;
      EXPECT_FALSE(read.error().kind.empty());
    }
    (void)RunStore::open(path_);
  }
  EXPECT_GT(refused, 0);
}

TEST_F(DocumentStrangerTest, OtherDatabasesAreNoDocuments) {
  execute("CREATE TABLE t (x)");
  EXPECT_FALSE(isDocument(path_));
  EXPECT_EQ(readDocument(path_).error().kind, "not-a-document");
  EXPECT_EQ(openFile(path_).error().kind, "unknown-file-kind");
  EXPECT_EQ(readDocument((folder_ / "none.hilo").string()).error().kind, "store-not-opened");
}

}  // namespace
}  // namespace hilo
