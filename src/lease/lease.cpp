#include "lease/lease.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/clock.hpp"
#include "base/notices.hpp"
#include "lease/fair.hpp"
#include "os/machine/time_namespace.hpp"
#include "os/processes/this_process.hpp"

namespace charm::lease {
namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> shares{0};
  return ++shares;
}

std::vector<Holder> holders_of(const Table& table) {
  std::vector<Holder> holders;
  for (const Entry& entry : table.entries) holders.push_back({entry.weight, entry.want, entry.may, entry.holds});
  return holders;
}

}  // namespace

LeaseContext lease_context() {
  LeaseContext around;
  auto processes = std::make_shared<os::Processes>();
  around.self = os::this_process(*processes);
  // Start times of processes, too, are those of the reader's time namespace.
  around.name_space = os::process_namespace() ^ (os::time_namespace() << 32U);
  // Where nobody can be looked up, others are judged by when they looked, as those of another namespace are.
  if (!os::proc_trouble().empty()) around.name_space = static_cast<std::uint64_t>(base::monotonic_ns());
  around.now_ms = [offset = os::monotonic_offset_ns()] {
    return (static_cast<std::int64_t>(base::monotonic_ns()) - offset) / 1'000'000;
  };
  around.alive = [processes](const os::ProcessIdentity& process) { return processes->alive(process); };
  around.report = [](const std::string& text) { base::notice("share", text); };
  return around;
}

std::string default_path() { return "/dev/shm/charm-" + std::to_string(os::user_id()); }

Lease::Lease(const std::string& path, const Machine& machine, int weight, int want, LeaseContext around)
    : path_(path),
      file_(os::SharedFile::open(path)),
      core_selection_(machine),
      weight_(std::clamp(weight, 1, 1000)),
      around_(std::move(around)) {
  number_ = next_number();
  if (const os::SharedFile::Turn turn(*file_); turn.granted() && !is_table()) {
    throw Error(Errc::bad_config, "'" + path + "' is no table of shares, and is left as it is",
                "let the setting share (CHARM_SHARE) name a file that does not exist yet");
  }
  look(want);
}

bool Lease::is_table() const {
  return file_->read(1).empty() || carries_mark(file_->read(header_bytes(), image_offset(0))) ||
         carries_mark(file_->read(header_bytes(), image_offset(1)));
}

Lease::~Lease() {
  const os::SharedFile::Turn turn(*file_);
  if (!turn.granted()) return;  // the next program that reads the table removes the entry
  std::optional<Table> table = read();
  if (!table) return;
  std::erase_if(table->entries, [&](const Entry& entry) { return is_me(entry); });
  write(*table);
}

bool Lease::is_me(const Entry& entry) const {
  return entry.pid == around_.self.pid && entry.started == around_.self.started &&
         entry.name_space == around_.name_space && entry.number == number_;
}

std::optional<Table> Lease::read() {
  if (!is_table()) {
    around_.report("the table of shares " + path_ + " was replaced by something else, which is left as it is");
    return std::nullopt;
  }
  std::array<std::string, 2> images;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::size_t at = image_offset(i);
    images[i] = file_->read(image_bytes_of(file_->read(header_bytes(), at)), at);
  }
  const bool has_header = !images[0].empty() || !images[1].empty();
  Decoded decoded = has_header ? decode(images[0], images[1]) : decode(file_->read(file_bytes() + 1));
  if (decoded.damaged) {
    around_.report("the table of shares " + path_ + " was damaged and is begun anew");
    file_->cut(0);
  }
  return std::move(decoded.table);
}

bool Lease::write(Table& table) {
  ++table.sequence;
  return file_->write(image_offset(table.sequence), encode(table));
}

/// The file may have been removed, and other programs may use a new one by now.
void Lease::reopen_if_gone() {
  if (!file_->is_still_there()) file_ = os::SharedFile::open(path_);
}

void Lease::strike_out(Table& table) const {
  const std::int64_t now = around_.now_ms();
  std::erase_if(table.entries, [&](const Entry& entry) {
    if (is_me(entry)) return false;
    if (entry.looked_ms + patience_ms < now || entry.looked_ms > now + patience_ms) return true;
    return entry.name_space == around_.name_space && !around_.alive({entry.pid, entry.started});
  });
}

/// \returns the place of this holder's entry, or the number of entries where there is no room for one.
std::size_t Lease::join(Table& table, int want) {
  for (std::size_t e = 0; e < table.entries.size(); ++e) {
    if (is_me(table.entries[e])) return e;
  }
  if (std::exchange(joined_, true)) number_ = next_number();  // another program has its cores by now
  Entry mine{around_.self.pid, around_.self.started, around_.name_space, number_, 0, weight_, want, {}, {}};
  for (const int core : core_selection_.cores()) {
    if (core < most_cpus) mine.may.insert(core);
  }
  if (table.entries.size() < most_entries && !mine.may.empty()) table.entries.push_back(std::move(mine));
  return table.entries.size() - (table.entries.empty() || !is_me(table.entries.back()) ? 0 : 1);
}

Lease::Standing Lease::look(int want, const CoreCpuSet& busy) {
  try {
    reopen_if_gone();
  } catch (const std::exception& error) {
    around_.report(error.what());
    return standing_;
  }
  const os::SharedFile::Turn turn(*file_);
  if (!turn.granted()) return standing_;
  std::optional<Table> found = read();
  if (!found) return standing_;
  Table& table = *found;
  strike_out(table);
  const std::size_t self = join(table, want);
  if (self == table.entries.size()) {
    around_.report("the table of shares is full (" + std::to_string(most_entries) + " holders); this one goes without");
    standing_ = {{}, {}, {}, 0, static_cast<int>(table.entries.size())};
    return standing_;
  }
  Entry& mine = table.entries[self];
  mine.want = std::clamp(want, 0, most_cpus);
  mine.looked_ms = around_.now_ms();

  const std::vector<int> counts = fair_counts(holders_of(table));
  const int due = counts[self];
  CoreCpuSet others;
  CoreCpuSet useful;  // cores that holders which are short could use
  for (std::size_t e = 0; e < table.entries.size(); ++e) {
    if (e == self) continue;
    others |= table.entries[e].holds;
    if (static_cast<int>(table.entries[e].holds.size()) < counts[e]) useful |= table.entries[e].may;
  }
  const CoreCpuSet free = mine.may - others - mine.holds;
  const int has = static_cast<int>(mine.holds.size());
  Standing now;
  if (has < due) {
    mine.holds |= core_selection_.choose(mine.holds, free, others, busy, due - has);
  } else if (has > due) {
    now.give_up = core_selection_.surrender(mine.holds, others, useful, busy, has - due);
  } else if (const auto swap = exchange(holders_of(table), counts, self)) {
    mine.holds.insert(swap->second);
    now.give_up = {swap->first};
  } else if (const auto calmer = core_selection_.quieter(mine.holds, free, others, busy)) {
    mine.holds.insert(calmer->second);
    now.give_up = {calmer->first};
  }
  now.others = std::move(others);
  now.holds = mine.holds;
  now.due = due;
  now.holders = static_cast<int>(table.entries.size());
  if (!write(table)) {
    around_.report("the table of shares " + path_ +
                   " cannot be written, so the machine is not shared; is the disk full, or the limit of file sizes "
                   "(ulimit -f) below " +
                   std::to_string(file_bytes() / 1024 + 1) + " KiB?");
    return standing_;
  }
  standing_ = now;
  return standing_;
}

void Lease::give_back(const CoreCpuSet& cores) {
  const os::SharedFile::Turn turn(*file_);
  if (!turn.granted()) return;
  std::optional<Table> table = read();
  if (!table) return;
  for (Entry& entry : table->entries) {
    if (!is_me(entry)) continue;
    entry.holds -= cores;
    if (!write(*table)) return;
    standing_.holds = entry.holds;
    standing_.give_up = (standing_.give_up - cores) & entry.holds;
  }
}

CoreCpuSet Lease::Standing::keeps() const { return holds - give_up; }

double Lease::pause() const {
  const bool wanting = static_cast<int>(standing_.holds.size()) < standing_.due || !standing_.give_up.empty();
  return wanting ? short_look_seconds : look_seconds;
}

}  // namespace charm::lease
