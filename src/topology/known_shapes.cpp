#include "topology/known_shapes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace charm::topology {
namespace {

constexpr std::uint64_t mib = 1024;  // in KiB

// Capacities of slower cores are what Linux tells of GB10, and estimates elsewhere (core_kinds.cpp).

// AMD. Rome and Bergamo have two caches on a die, each of which is a chiplet here.
constexpr Cores rome[] = {{.chiplets = 16, .cores = 4, .l3_kib = 16 * mib}};
constexpr Cores eight_by_eight[] = {{.chiplets = 8, .cores = 8, .l3_kib = 32 * mib}};
constexpr Cores eight_by_eight_stacked[] = {{.chiplets = 8, .cores = 8, .l3_kib = 96 * mib}};
constexpr Cores eight_by_four[] = {{.chiplets = 8, .cores = 4, .l3_kib = 32 * mib}};
constexpr Cores genoa[] = {{.chiplets = 12, .cores = 8, .l3_kib = 32 * mib}};
constexpr Cores genoa_x[] = {{.chiplets = 12, .cores = 8, .l3_kib = 96 * mib}};
constexpr Cores bergamo[] = {{.chiplets = 16, .cores = 8, .l3_kib = 16 * mib}};
constexpr Cores eight_by_three[] = {{.chiplets = 8, .cores = 3, .l3_kib = 32 * mib}};
constexpr Cores genoa_two_nodes[] = {{.node = 0, .chiplets = 2, .cores = 6, .l3_kib = 16 * mib},
                                     {.node = 1, .chiplets = 2, .cores = 6, .l3_kib = 16 * mib}};
constexpr Cores turin[] = {{.chiplets = 16, .cores = 8, .l3_kib = 32 * mib}};
constexpr Cores turin_dense[] = {{.chiplets = 12, .cores = 16, .l3_kib = 32 * mib}};
constexpr Cores mi300a[] = {{.chiplets = 3, .cores = 8, .l3_kib = 32 * mib}};
constexpr Cores desktop[] = {{.chiplets = 2, .cores = 8, .l3_kib = 32 * mib}};
constexpr Cores desktop_stacked[] = {{.cores = 8, .l3_kib = 96 * mib}, {.cores = 8, .l3_kib = 32 * mib}};
constexpr Cores strix_point[] = {{.cores = 4, .l3_kib = 16 * mib}, {.cores = 8, .l3_kib = 8 * mib, .capacity = 665}};

// Intel. What hides behind one L3 (tiles.hpp) is not cut.
constexpr Cores ice_lake[] = {{.cores = 32, .l3_kib = 54 * mib}};
constexpr Cores sapphire_rapids[] = {{.cores = 48, .l3_kib = 105 * mib}};
constexpr Cores sapphire_rapids_56[] = {{.cores = 56, .l3_kib = 105 * mib}};
constexpr Cores xeon_max[] = {{.cores = 40, .l3_kib = 97 * mib + mib / 2}};
constexpr Cores emerald_rapids[] = {{.cores = 64, .l3_kib = 320 * mib}};
constexpr Cores granite_rapids[] = {{.node = 0, .cores = 43, .l3_kib = 168 * mib},
                                    {.node = 1, .cores = 43, .l3_kib = 168 * mib},
                                    {.node = 2, .cores = 42, .l3_kib = 168 * mib}};
constexpr Cores sierra_forest[] = {{.cores = 144, .l3_kib = 108 * mib, .cores_of_l2 = 4}};
constexpr Cores meteor_lake[] = {
    {.cores = 6, .l3_kib = 24 * mib},
    {.chiplets = 0, .cores = 8, .l3_kib = 24 * mib, .capacity = 614, .threads = 1, .cores_of_l2 = 4},
    {.cores = 2, .capacity = 410, .threads = 1, .cores_of_l2 = 2}};
constexpr Cores lunar_lake[] = {{.cores = 4, .l3_kib = 12 * mib, .l2_kib = 2560},
                                {.cores = 4, .capacity = 650, .l2_kib = 4 * mib, .cores_of_l2 = 4}};
constexpr Cores arrow_lake[] = {
    {.cores = 8, .l3_kib = 36 * mib, .l2_kib = 3 * mib},
    {.chiplets = 0, .cores = 16, .l3_kib = 36 * mib, .capacity = 740, .l2_kib = 4 * mib, .cores_of_l2 = 4}};

// Arm.
constexpr Cores graviton_2[] = {{.cores = 64, .l3_kib = 32 * mib}};
constexpr Cores graviton_4[] = {{.cores = 96, .l3_kib = 36 * mib}};
constexpr Cores grace[] = {{.cores = 72, .l3_kib = 114 * mib}};
constexpr Cores kunpeng[] = {{.node = 0, .cores = 32, .l3_kib = 32 * mib},
                             {.node = 1, .cores = 32, .l3_kib = 32 * mib}};
constexpr Cores gb10[] = {{.cores = 5, .l3_kib = 8 * mib, .capacity = 718, .l2_kib = 512},
                          {.chiplets = 0, .cores = 5, .l3_kib = 8 * mib},
                          {.cores = 5, .l3_kib = 16 * mib, .capacity = 718, .l2_kib = 512},
                          {.chiplets = 0, .cores = 5, .l3_kib = 16 * mib}};
constexpr Cores snapdragon_x[] = {{.chiplets = 3, .cores = 4, .cores_of_l2 = 4}};

constexpr std::array shapes{
    KnownShape{"core-ultra-155h", "Intel Core Ultra 7 155H", "155h meteor-lake meteorlake",
               "Intel data sheet: 6 cores of two threads, 8 efficient ones, 2 low-power ones outside of the L3", 1, 32,
               0, 2, 2048, meteor_lake},
    KnownShape{"core-ultra-285k", "Intel Core Ultra 9 285K", "285k arrow-lake arrowlake",
               "Intel data sheet: 8 cores, 16 efficient ones, 36 MiB", 1, 64, 0, 1, 3072, arrow_lake},
    KnownShape{"core-ultra-288v", "Intel Core Ultra 9 288V", "288v lunar-lake lunarlake",
               "Intel data sheet: 4 cores with 12 MiB, 4 low-power ones outside of it", 1, 32, 0, 1, 2560, lunar_lake},
    KnownShape{"epyc-7713", "AMD EPYC 7713", "7713 milan", "OLAP on chiplets §2.2 (1)", 1, 512, 0, 2, 512,
               eight_by_eight},
    KnownShape{"epyc-7713-2s", "AMD EPYC 7713", "2milan", "CHARM §5.1 (1)", 2, 512, 0, 2, 512, eight_by_eight},
    KnownShape{"epyc-7742", "AMD EPYC 7742", "7742 rome", "AMD data sheet: 16 core complexes of 4 cores, 16 MiB each",
               2, 512, 0, 2, 512, rome},
    KnownShape{"epyc-7763", "AMD EPYC 7763", "7763", "AMD data sheet: 8 chiplets of 8 cores, 32 MiB each", 2, 512, 0, 2,
               512, eight_by_eight},
    KnownShape{"epyc-7773x", "AMD EPYC 7773X", "7773x milan-x", "AMD data sheet: 8 chiplets of 8 cores, 96 MiB each", 1,
               512, 0, 2, 512, eight_by_eight_stacked},
    KnownShape{"epyc-9224-cxl", "AMD EPYC 9224 with CXL memory", "9224-cxl cxl",
               "AMD data sheet: 4 chiplets of 6 cores, 64 MiB; two nodes a socket", 2, 96, 256, 2, 1024,
               genoa_two_nodes},
    KnownShape{"epyc-9274f", "AMD EPYC 9274F", "9274f", "AMD data sheet: 8 chiplets of 3 cores, 32 MiB each", 2, 384, 0,
               2, 1024, eight_by_three},
    KnownShape{"epyc-9355p", "AMD EPYC 9355P", "9355p",
               "Chips and Cheese, EPYC 9355P: 8 chiplets of 4 cores, 32 MiB each", 1, 768, 0, 2, 1024, eight_by_four},
    KnownShape{"epyc-9554", "AMD EPYC 9554", "9554", "AMD data sheet: 8 chiplets of 8 cores, 32 MiB each", 1, 768, 0, 2,
               1024, eight_by_eight},
    KnownShape{"epyc-9575f", "AMD EPYC 9575F", "9575f", "AMD data sheet: 8 chiplets of 8 cores, 32 MiB each", 1, 768, 0,
               2, 1024, eight_by_eight},
    KnownShape{"epyc-9654", "AMD EPYC 9654", "9654 genoa", "AMD data sheet: 12 chiplets of 8 cores, 32 MiB each", 1,
               768, 0, 2, 1024, genoa},
    KnownShape{"epyc-9684x", "AMD EPYC 9684X", "9684x genoa-x", "AMD data sheet: 12 chiplets of 8 cores, 96 MiB each",
               1, 768, 0, 2, 1024, genoa_x},
    KnownShape{"epyc-9754", "AMD EPYC 9754", "9754 bergamo",
               "AMD data sheet: 16 core complexes of 8 cores, 16 MiB each", 1, 768, 0, 2, 1024, bergamo},
    KnownShape{"epyc-9755", "AMD EPYC 9755", "9755 turin", "AMD data sheet: 16 chiplets of 8 cores, 32 MiB each", 1,
               768, 0, 2, 1024, turin},
    KnownShape{"epyc-9965", "AMD EPYC 9965", "9965 turin-dense", "AMD data sheet: 12 chiplets of 16 cores, 32 MiB each",
               1, 768, 0, 2, 1024, turin_dense},
    KnownShape{"gb10", "NVIDIA GB10", "dgx-spark",
               "Chips and Cheese, GB10: 2 clusters of 5 A725 and 5 X925, 8 and 16 MiB", 1, 128, 0, 1, 2048, gb10},
    KnownShape{"grace", "NVIDIA Grace", "grace-c1", "NVIDIA data sheet: 72 Neoverse V2 cores, 114 MiB", 1, 480, 0, 1,
               1024, grace},
    KnownShape{"graviton-2", "AWS Graviton 2", "graviton2", "AWS: 64 Neoverse N1 cores, 32 MiB", 1, 256, 0, 1, 1024,
               graviton_2},
    KnownShape{"graviton-3", "AWS Graviton 3", "graviton3", "OLAP on chiplets §2.2 (3)", 1, 128, 0, 1, 1024,
               graviton_2},
    KnownShape{"graviton-4", "AWS Graviton 4", "graviton4",
               "Chips and Cheese, Graviton 4: 96 Neoverse V2 cores, 36 MiB; 2 MiB of L2 a core", 1, 768, 0, 1, 2048,
               graviton_4},
    KnownShape{"kunpeng-920-128", "Huawei Kunpeng 920-6426", "kunpeng kunpeng-128 2x920",
               "TAPMM §4: 2 sockets of 2 clusters of 32", 2, 128, 0, 1, 512, kunpeng},
    KnownShape{"kunpeng-920-64", "Huawei Kunpeng 920-6426", "kunpeng-64 920-6426",
               "core-to-core-latency: 2 clusters of 32", 1, 128, 0, 1, 512, kunpeng},
    KnownShape{"mi300a", "AMD Instinct MI300A", "instinct-mi300a",
               "Chips and Cheese, MI300A: 3 chiplets of 8 cores, 32 MiB each", 1, 128, 0, 2, 1024, mi300a},
    KnownShape{"ryzen-7950x", "AMD Ryzen 9 7950X", "7950x", "AMD data sheet: 2 chiplets of 8 cores, 32 MiB each", 1, 64,
               0, 2, 1024, desktop},
    KnownShape{"ryzen-7950x3d", "AMD Ryzen 9 7950X3D", "7950x3d v-cache-desktop",
               "AMD data sheet: 8 cores with 96 MiB, 8 with 32 MiB", 1, 64, 0, 2, 1024, desktop_stacked},
    KnownShape{"ryzen-9950x", "AMD Ryzen 9 9950X", "9950x", "AMD data sheet: 2 chiplets of 8 cores, 32 MiB each", 1, 64,
               0, 2, 1024, desktop},
    KnownShape{"ryzen-9950x3d", "AMD Ryzen 9 9950X3D", "9950x3d", "AMD data sheet: 8 cores with 96 MiB, 8 with 32 MiB",
               1, 64, 0, 2, 1024, desktop_stacked},
    KnownShape{"ryzen-ai-9-hx-370", "AMD Ryzen AI 9 HX 370", "hx370 strix-point",
               "AMD data sheet: 4 cores with 16 MiB, 8 dense ones with 8 MiB", 1, 32, 0, 2, 1024, strix_point},
    KnownShape{"ryzen-ai-max-395", "AMD Ryzen AI Max+ 395", "ai-max-395 strix-halo",
               "AMD data sheet: 2 chiplets of 8 cores, 32 MiB each", 1, 128, 0, 2, 1024, desktop},
    KnownShape{"snapdragon-x-elite", "Qualcomm Snapdragon X Elite", "x1e snapdragon-x",
               "Qualcomm's product brief: 3 clusters of 4 cores, 12 MiB of L2 each", 1, 32, 0, 1, 12288, snapdragon_x},
    KnownShape{"threadripper-7980x", "AMD Ryzen Threadripper 7980X", "7980x",
               "AMD data sheet: 8 chiplets of 8 cores, 32 MiB each", 1, 256, 0, 2, 1024, eight_by_eight},
    KnownShape{"xeon-6780e", "Intel Xeon 6780E", "6780e sierra-forest", "Intel data sheet: 144 cores, 108 MiB", 1, 512,
               0, 1, 4096, sierra_forest},
    KnownShape{"xeon-6980p", "Intel Xeon 6980P", "6980p granite-rapids gnr",
               "Intel data sheet: 128 cores, 504 MiB; three nodes a socket", 1, 256, 0, 2, 2048, granite_rapids},
    KnownShape{"xeon-8375c", "Intel Xeon Platinum 8375C", "8375c icelake ice-lake",
               "Intel data sheet: 32 cores, 54 MiB", 2, 256, 0, 2, 1280, ice_lake},
    KnownShape{"xeon-8480", "Intel Xeon Platinum 8480+", "8480 8480c 8481c", "Intel data sheet: 56 cores, 105 MiB", 1,
               512, 0, 2, 2048, sapphire_rapids_56},
    KnownShape{"xeon-8488c", "Intel Xeon Platinum 8488C", "8488c spr sapphire-rapids", "CHARM §5.1 (2)", 2, 512, 0, 2,
               2048, sapphire_rapids},
    KnownShape{"xeon-8592", "Intel Xeon Platinum 8592+", "8592 emerald-rapids", "Intel data sheet: 64 cores, 320 MiB",
               1, 512, 0, 2, 2048, emerald_rapids},
    KnownShape{"xeon-max-9460", "Intel Xeon Max 9460", "9460 max-9460",
               "hwloc dump of a 2x9460: 40 cores and 97.5 MiB a socket; memory is an estimate", 2, 256, 0, 2, 2048,
               xeon_max},
};

constexpr int most_sockets = 16;

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool is_called(const KnownShape& shape, const std::string& wanted) {
  if (plain(shape.name) == wanted || plain(shape.product) == wanted) return true;
  std::string_view rest = shape.aliases;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (plain(rest.substr(0, end)) == wanted) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

const KnownShape* find(std::string_view name) {
  const std::string wanted = plain(name);
  // Blanks and dashes do not count, but what belongs to paths and to synthetic strings is in no name.
  if (wanted.empty() || name.find_first_of(":/;=,") != std::string_view::npos) return nullptr;
  const auto* found =
      std::find_if(shapes.begin(), shapes.end(), [&](const KnownShape& shape) { return is_called(shape, wanted); });
  return found == shapes.end() ? nullptr : found;
}

/// The product's own entry for so many sockets, where it has one.
const KnownShape* with_sockets(const KnownShape* shape, int sockets) {
  if (shape == nullptr || shape->sockets == sockets) return shape;
  const auto* found = std::find_if(shapes.begin(), shapes.end(), [&](const KnownShape& other) {
    return other.product == shape->product && other.sockets == sockets;
  });
  return found == shapes.end() ? shape : found;
}

/// Takes "2x", "2 x" or "2×" off; 0 where it is not there.
int take_sockets(std::string_view& text) {
  int sockets = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sockets);
  if (error != std::errc() || sockets < 1) return 0;
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  for (const std::string_view times : {"x", "X", "×"}) {
    if (!rest.starts_with(times)) continue;
    text = rest.substr(times.size());
    return sockets;
  }
  return 0;
}

}  // namespace

std::span<const KnownShape> known_shapes() { return shapes; }

std::optional<NamedMachine> named_machine(std::string_view text) {
  if (const KnownShape* whole = find(text)) return NamedMachine{whole, whole->sockets};
  const int sockets = take_sockets(text);
  const KnownShape* shape = sockets < 1 || sockets > most_sockets ? nullptr : with_sockets(find(text), sockets);
  if (shape == nullptr) return std::nullopt;
  return NamedMachine{shape, sockets};
}

std::string title_of(const NamedMachine& machine) {
  return (machine.sockets > 1 ? std::to_string(machine.sockets) + " × " : "") + std::string(machine.shape->product);
}

Shape shape_of(const NamedMachine& machine) {
  constexpr unsigned gib = 30;
  const KnownShape& known = *machine.shape;
  Shape shape;
  shape.sockets = machine.sockets;
  shape.cores.assign(known.cores.begin(), known.cores.end());
  shape.node_bytes.assign(static_cast<std::size_t>(shape.cores.back().node) + 1,
                          static_cast<std::uint64_t>(known.node_gib) << gib);
  if (known.memory_only_gib > 0)
    shape.memory_only_bytes.push_back(static_cast<std::uint64_t>(known.memory_only_gib) << gib);
  shape.threads = known.threads;
  shape.l2_kib = static_cast<std::uint64_t>(known.l2_kib);
  return shape;
}

Survey survey_of(const NamedMachine& machine) {
  Survey survey = survey_of(shape_of(machine));
  survey.name = title_of(machine);
  survey.origin = "name:" + std::string(machine.shape->name);
  survey.notes.emplace_back(
      "Written from the product's published shape: a real one may have other numbers of nodes, "
      "threads and cpus, and other memory.");
  return survey;
}

}  // namespace charm::topology
