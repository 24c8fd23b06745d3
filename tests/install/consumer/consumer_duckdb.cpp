// A program that would let CHARM's workers run DuckDB's tasks, if it were linked to DuckDB.
#include <charm/duckdb.hpp>

#include <cstdio>

int main() {
  try {
    charm::duckdb::attach(nullptr);
  } catch (const charm::Error& error) {
    std::puts(error.what());
  }
}
