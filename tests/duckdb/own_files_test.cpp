// Files of tables and statements that a user brings along: which of them are meant, in which order.
#include "workloads/olap/own_files.hpp"

#include <charm/error.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/folder.hpp"

using namespace charm::workloads;
using charm::test::Folder;

namespace {

std::vector<std::string> names(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) out.push_back(std::filesystem::path(path).filename());
  return out;
}

void touch(const Folder& folder, const std::string& name, const std::string& text = "x") {
  std::ofstream(folder.path(name)) << text;
}

TEST(OwnFiles, OfATableAreThoseThatGeneratorsNameAfterIt) {
  const Folder folder;
  for (const char* name : {"customer.tbl", "customer_address_1_2.dat", "customer_address_2_2.dat", "orders.tbl.1",
                           "orders.tbl.2.gz", "part.csv.zst", "partsupp.tbl", "nation.txt", "region", "customer_1.dat",
                           "customer_demographics.dat", "part.tbl.x"})
    touch(folder, name);
  std::filesystem::create_directory(folder.path("nation.tbl"));
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(files_of_table(folder.path(), "customer")), Names{"customer.tbl"});
  EXPECT_EQ(names(files_of_table(folder.path(), "customer_address")),
            (Names{"customer_address_1_2.dat", "customer_address_2_2.dat"}));
  EXPECT_EQ(names(files_of_table(folder.path(), "orders")), (Names{"orders.tbl.1", "orders.tbl.2.gz"}));
  EXPECT_EQ(names(files_of_table(folder.path(), "part")), Names{"part.csv.zst"});
  EXPECT_THROW(files_of_table(folder.path(), "nation"), charm::Error) << "a folder and a text";
  EXPECT_THROW(files_of_table(folder.path(), "region"), charm::Error);
  EXPECT_THROW(files_of_table(folder.path("nowhere"), "part"), charm::Error);
}

TEST(OwnFiles, HaveAFingerprintThatChangesWithThem) {
  const Folder folder, other;
  touch(folder, "a.tbl");
  touch(other, "a.tbl");
  const auto first = fingerprint_of(folder.path());
  EXPECT_EQ(fingerprint_of(folder.path()), first);
  EXPECT_NE(fingerprint_of(other.path()), first);
  touch(folder, "b.tbl");
  const auto second = fingerprint_of(folder.path());
  EXPECT_NE(second, first);
  touch(folder, "b.tbl", "longer");
  const auto third = fingerprint_of(folder.path());
  EXPECT_NE(third, second);
  std::filesystem::last_write_time(folder.path("b.tbl"),
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_NE(fingerprint_of(folder.path()), third);
  std::filesystem::remove(folder.path("b.tbl"));
  EXPECT_EQ(fingerprint_of(folder.path()), first);
}

TEST(OwnFiles, QueriesAreInTheOrderOfTheirNumbers) {
  const Folder folder;
  EXPECT_THROW(own_queries(folder.path()), charm::Error);
  for (const char* name : {"q10.sql", "q2.sql", "q1.sql", "q02.sql", "a.sql", "q2b.sql", "q1.txt", "12.sql", "3.sql"})
    touch(folder, name, "SELECT 1");
  EXPECT_EQ(own_queries(folder.path()), (std::vector<std::string>{"3", "12", "a", "q1", "q02", "q2", "q2b", "q10"}));
  touch(folder, "empty.sql", " \n;");
  EXPECT_EQ(own_query(folder.path(), "q10"), "SELECT 1");
  EXPECT_THROW(own_query(folder.path(), "empty"), charm::Error);
  EXPECT_THROW(own_query(folder.path(), "q11"), charm::Error);
}

}  // namespace
