// A table by chiplet: words are counted in a map whose parts lie in the memory of the chiplets. Once by tasks that come
// to the data with a lock, once by tasks that are sent to the data (call on a chiplet, CHARM §4.6).
#include <charm/charm.hpp>

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  charm::init();
  std::vector<std::string> words;
  for (unsigned i = 0; i < 100'000; ++i) words.push_back("word" + std::to_string(i * 2654435761U % 977));

  // Any worker updates any entry; the lock is that of a sixteenth of a chiplet's entries.
  charm::sharded_map<std::string, long> counts;
  charm::parallel_for_each(words, [&](const std::string& word) { counts.update(word, [](long& n) { ++n; }); });

  // Each chiplet counts its own words: the words are divided first, and one call for each chiplet takes its list there.
  std::vector<std::vector<const std::string*>> lists(charm::machine().chiplets.size());
  for (const std::string& word : words) lists[static_cast<std::size_t>(counts.chiplet_of(word))].push_back(&word);
  std::vector<charm::future<void>> calls;
  for (const int chiplet : charm::chiplets_with_workers()) {
    calls.push_back(charm::call_async(charm::on_chiplet{chiplet}, [&counts, &list = lists[static_cast<std::size_t>(chiplet)]] {
      for (const std::string* word : list) counts.update(*word, [](long& n) { ++n; });
    }));
  }
  for (auto& call : calls) call.get();

  std::atomic<long> sum{0};
  std::atomic<long> uneven{0};
  counts.for_each_local([&](const std::string&, long n) {  // on the entry's chiplet
    sum += n;
    if (n % 2 != 0) ++uneven;
  });
  charm::finalize();
  std::printf("%zu words counted twice: %ld\n", words.size(), sum.load());
  return sum == 200'000 && uneven == 0 ? 0 : 1;
}
