#include "malloc/statistics.hpp"

namespace charm::shim {

void describe(Text& text, const Statistics& all, const memory::WeightPage& page, std::size_t normal_limit) noexcept {
  const auto number = [](const Counter& counter) { return counter.load(std::memory_order_relaxed); };
  text << ", policy " << page.policy.data() << ", huge above " << normal_limit << " bytes\n";
  text << "charm malloc: huge blocks " << number(all.huge_blocks) << ", bytes " << number(all.huge_bytes)
       << ", in shared mappings " << number(all.shared_blocks) << "\n";
  text << "charm malloc: normal chunks " << number(all.normal_chunks) << ", bytes " << number(all.normal_bytes)
       << ", arenas " << number(all.arenas) << ", moves " << number(all.moves) << "\n";
  text << "charm malloc: calls that placed " << number(all.runs) << ", refused " << number(all.refused)
       << ", weights read again " << number(all.pages_read) << "\n";
  if (const std::uint64_t bytes = number(all.static_bytes); bytes > 0)
    text << "charm malloc: static arrays, bytes " << bytes << "\n";
  text << "charm malloc: huge bytes by node";
  for (std::size_t m = 0; m < page.memories; ++m)
    text << " " << static_cast<std::uint64_t>(page.os_node[m]) << ":" << number(all.bytes[m]);
  text << "\n";
}

}  // namespace charm::shim
