// The table by which a debugger finds data in a process or a core dump (scripts/charm-gdb.py): names and numbers, so
// that it needs no debug information. The table ends with an empty name; -1 means that this build has no such field.
#pragma once

#include <cstdint>

extern "C" {

struct CharmGdbEntry {
  const char* name;
  std::int64_t value;
};

extern const CharmGdbEntry charm_gdb_layout[];

}  // extern "C"
