// Graph files: what is read, and that every bad one is refused with file, line, reason and remedy.
#include "workloads/graph/load.hpp"

#include <charm/error.hpp>

#include <sstream>
#include <zlib.h>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "workloads/executors.hpp"
#include "workloads/files/text.hpp"
#include "workloads/graph/edge_file.hpp"
#include "workloads/graphs.hpp"

namespace charm::workloads::testing {
namespace {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& ending = ".el")
      : path_(folder_.file("graph" + ending, content)) {}
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  test::Folder folder_;
  std::string path_;
};

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

using Arcs = std::vector<std::pair<int, int>>;

Arcs arcs_of(const CsrGraph& graph) {
  Arcs arcs;
  for (Index u = 0; u < graph.vertices; ++u) {
    for (Vertex v : graph.out.of(u)) arcs.emplace_back(u, v);
  }
  return arcs;
}

Loaded load_text(const std::string& text, const std::string& ending = ".el", bool undirected = false) {
  TemporaryFile file(text, ending);
  SerialExecutor e;
  return load_graph(e, file.path(), undirected);
}

/// The message for `text`, which must be bad input and one line; without the file's path.
std::string refusal(const std::string& text, const std::string& ending = ".el") {
  TemporaryFile file(text, ending);
  SerialExecutor e;
  try {
    load_graph(e, file.path(), false);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_FALSE(error.remedy().empty());
    std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_EQ(message.rfind(file.path(), 0), 0U) << message;
    return message.substr(file.path().size());
  }
  return "not refused";
}

#define EXPECT_REFUSED(text, ending, part) EXPECT_EQ(refusal(text, ending).rfind(part, 0), 0U) << refusal(text, ending)

TEST(EdgeList, ReadsEdgesAroundCommentsBlanksAndLoops) {
  const auto loaded = load_text("# a comment\n% another\n\n0 1\n 2\t1\r\n1 1\n0 1\n3 0");
  EXPECT_EQ(loaded.graph.vertices, 4);
  EXPECT_TRUE(loaded.graph.directed);
  EXPECT_EQ(arcs_of(loaded.graph), (Arcs{{0, 1}, {2, 1}, {3, 0}}));
  EXPECT_FALSE(loaded.weights.present);
}

TEST(EdgeList, GoesBothWaysWhenAsked) {
  const auto loaded = load_text("0 1\n1 0\n1 2\n", ".el", true);
  EXPECT_FALSE(loaded.graph.directed);
  EXPECT_EQ(loaded.graph.edges(), 2);
  EXPECT_EQ(arcs_of(loaded.graph), (Arcs{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
}

TEST(EdgeList, KeepsTheSmallestWeightOfRepeatedEdges) {
  on_every_executor([](auto& e) {
    TemporaryFile file("0 1 7\n1 2 300\n0 1 5\n2 2 1\n");
    const auto loaded = load_graph(e, file.path(), true);
    EXPECT_TRUE(loaded.weights.usable);
    const auto weights = load_weights(e, file.path(), loaded);
    EXPECT_EQ(arcs_of(loaded.graph), (Arcs{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
    EXPECT_EQ(weights[0], 5U);
    EXPECT_EQ(weights[1], 5U);
    EXPECT_EQ(weights[2], 300U);
    EXPECT_EQ(weights.largest, 300U);
  });
}

TEST(EdgeList, SaysWhichWeightsShortestPathsCannotUse) {
  EXPECT_TRUE(load_text("0 1 7\n").weights.usable);
  EXPECT_TRUE(load_text("0 1 7.0\n").weights.usable);
  EXPECT_FALSE(load_text("0 1 7\n1 2 0.5\n").weights.usable);
  EXPECT_FALSE(load_text("0 1 -7\n").weights.usable);
  EXPECT_FALSE(load_text("0 1 1e12\n").weights.usable);
}

TEST(EdgeList, RefusesWhatIsNotAVertex) {
  EXPECT_REFUSED("0 1\n-1 2\n", ".el", ":2: vertex -1 is negative; ");
  EXPECT_REFUSED("0 1\n\n# c\nx 2\n", ".el", ":4: vertex 'x' is not a whole number; ");
  EXPECT_REFUSED("0 1.5\n", ".el", ":1: vertex '1.5' is not a whole number; ");
  EXPECT_REFUSED("0 9223372036854775808\n", ".el", ":1: vertex 9223372036854775808 is out of range; ");
  EXPECT_REFUSED("0 99999999999999999999999\n", ".el", ":1: vertex 99999999999999999999999 is out of range; ");
  EXPECT_REFUSED("2147483648 0\n", ".el", ":1: vertex 2147483648 is out of range; ");
  EXPECT_REFUSED("2147483647 0\n", ".el", ":1: vertex 2147483647 is out of range; ");
  EXPECT_REFUSED(std::string("0 1\n\0\1 2\n", 9), ".el", ":2: vertex '?\?' is not a whole number; ");
}

TEST(EdgeList, RefusesLinesWithTooLittleOrTooMuch) {
  EXPECT_REFUSED("0 1\n2", ".el", ":2: the line ends before the vertex; the file is truncated");
  EXPECT_REFUSED("0 1 2 3\n", ".el", ":1: '3' stands after the weight; ");
  EXPECT_REFUSED("0 1 heavy\n", ".el", ":1: weight 'heavy' is not a finite number; ");
  EXPECT_REFUSED("0 1 inf\n", ".el", ":1: weight 'inf' is not a finite number; ");
  EXPECT_REFUSED("0 1 2\n1 2\n", ".el", ":2: the line has no weight");
  EXPECT_REFUSED("0 1\n1 2\n1 2 5\n", ".el", ":3: the line has a weight");
}

TEST(EdgeList, RefusesFilesWithoutEdges) {
  EXPECT_REFUSED("", ".el", ": the file is empty; ");
  EXPECT_REFUSED("# nothing\n", ".el", ":2: the file ends without an edge; ");
  SerialExecutor e;
  EXPECT_THROW(load_graph(e, "/nowhere/graph.el", false), Error);
  EXPECT_THROW(load_graph(e, "/tmp", false), Error);
}

TEST(EdgeList, RefusesMoreVerticesThanAFileOfItsSizeShouldHave) {
  for (const auto& [text, ending] :
       {std::pair("0 2147483646\n", ".el"),
        std::pair("%%MatrixMarket matrix coordinate pattern general\n2147483647 2147483647 1\n1 2\n", ".mtx"),
        std::pair("p sp 2147483647 1\na 1 2 3\n", ".gr")})
    EXPECT_NE(refusal(text, ending).find(": 2147483647 vertices and 1 edges need 40 GiB"), std::string::npos)
        << refusal(text, ending);
  EXPECT_EQ(load_text("0 500000\n").graph.vertices, 500001) << "gaps are fine while they cost little";
}

TEST(Gzip, IsReadLikePlainTextAndTruncationIsNoticed) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + " " + std::to_string(i * 7919 % 20011) + "\n";
  const std::string packed = gzip(text);
  EXPECT_EQ(arcs_of(load_text(packed, ".el.gz").graph), arcs_of(load_text(text).graph));
  for (std::size_t keep : {packed.size() - 1, packed.size() - 9, packed.size() / 2, std::size_t{12}}) {
    EXPECT_NE(refusal(packed.substr(0, keep), ".el.gz").find("truncated"), std::string::npos)
        << "of " << keep << " bytes";
  }
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
  EXPECT_NE(refusal(damaged, ".el.gz"), "not refused");
  EXPECT_REFUSED(text, ".el.gz", ": named .gz but not gzip; ");
}

const std::string general = "%%MatrixMarket matrix coordinate pattern general\n";

TEST(MatrixMarket, CountsFromOneAndKnowsSymmetry) {
  EXPECT_EQ(arcs_of(load_text(general + "% c\n3 3 2\n1 2\n3 1\n", ".mtx").graph), (Arcs{{0, 1}, {2, 0}}));
  const auto symmetric = load_text("%%matrixmarket MATRIX Coordinate Integer Symmetric\n4 4 2\n2 1 5\n3 3 1\n", ".mtx");
  EXPECT_EQ(symmetric.graph.vertices, 4);
  EXPECT_FALSE(symmetric.graph.directed);
  EXPECT_EQ(arcs_of(symmetric.graph), (Arcs{{0, 1}, {1, 0}}));
  EXPECT_TRUE(symmetric.weights.usable);
  EXPECT_FALSE(load_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -0.5\n", ".txt").weights.usable);
}

TEST(MatrixMarket, RefusesOtherHeaders) {
  EXPECT_REFUSED("%%MatrixMarket matrix array real general\n2 2\n", ".mtx",
                 ":1: Matrix Market format 'array' is not supported; ");
  EXPECT_REFUSED("%%MatrixMarket matrix coordinate quaternion general\n", ".mtx",
                 ":1: Matrix Market field 'quaternion'");
  EXPECT_REFUSED("%%MatrixMarket matrix coordinate real antisymmetric\n", ".mtx",
                 ":1: Matrix Market symmetry 'antisymmetric'");
  EXPECT_REFUSED("%%MatrixMarket\n", ".mtx", ":1: Matrix Market object ''");
  EXPECT_REFUSED("3 3 1\n1 2\n", ".mtx", ":1: the Matrix Market header is missing; ");
}

TEST(MatrixMarket, RefusesSizesThatDoNotMatch) {
  EXPECT_REFUSED(general, ".mtx", ":2: the file ends before the size line; ");
  EXPECT_REFUSED(general + "% only comments\n", ".mtx", ":3: the file ends before the size line; ");
  EXPECT_REFUSED(general + "3 4 1\n1 2\n", ".mtx", ":2: the matrix has 3 rows and 4 columns; ");
  EXPECT_REFUSED(general + "3 x 1\n1 2\n", ".mtx", ":2: number of columns 'x' is not a whole number; ");
  EXPECT_REFUSED(general + "3 3\n1 2\n", ".mtx", ":2: the line ends before the number of entries; ");
  EXPECT_REFUSED(general + "3 3 1 1\n1 2\n", ".mtx", ":2: '1' stands after the matrix's size; ");
  EXPECT_REFUSED(general + "0 0 0\n", ".mtx", ":2: the matrix is empty; ");
  EXPECT_REFUSED(general + "3 3 2\n1 2\n", ".mtx", ":4: the file ends after 1 of 2 entries; ");
  EXPECT_REFUSED(general + "3 3 1\n1 2\n% c\n2 3\n", ".mtx", ":5: an entry more than the 1 of the size line; ");
  EXPECT_REFUSED(general + "3 3 0\n1 2\n", ".mtx", ":3: an entry more than the 0 of the size line; ");
}

TEST(MatrixMarket, RefusesEntriesOutsideOfTheMatrix) {
  EXPECT_REFUSED(general + "3 3 1\n0 2\n", ".mtx", ":3: row 0 is out of range; use whole numbers from 1 to 3");
  EXPECT_REFUSED(general + "3 3 1\n1 4\n", ".mtx", ":3: column 4 is out of range; ");
  EXPECT_REFUSED(general + "3 3 1\n1 2 5\n", ".mtx", ":3: '5' stands after the entry of a pattern; ");
  EXPECT_REFUSED("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2\n", ".mtx", ":3: the entry has no value; ");
  EXPECT_REFUSED("%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 .5\n", ".mtx",
                 ":3: value '.5' of an integer");
}

TEST(Dimacs, IsReadWithItsLengths) {
  const std::string text = "c roads\np sp 4 3\n\na 1 2 7\nc in between\na 4 1 300\na 2 2 1\n";
  for (const char* ending : {".gr", ".txt"}) {
    const auto loaded = load_text(text, ending);
    EXPECT_EQ(loaded.graph.vertices, 4);
    EXPECT_TRUE(loaded.graph.directed);
    EXPECT_EQ(arcs_of(loaded.graph), (Arcs{{0, 1}, {3, 0}}));
    EXPECT_TRUE(loaded.weights.usable);
    EXPECT_EQ(loaded.weights.largest, 300);
  }
  EXPECT_EQ(arcs_of(load_text(gzip(text), ".gr.gz").graph), (Arcs{{0, 1}, {3, 0}}));
  EXPECT_EQ(load_text(text, ".gr", true).graph.edges(), 2);
}

TEST(Dimacs, RefusesWhatIsNone) {
  EXPECT_REFUSED("c only\n", ".gr", ":1: the line `p sp` is missing; ");
  EXPECT_REFUSED("a 1 2 3\n", ".gr", ":1: the line `p sp` is missing; ");
  EXPECT_REFUSED("p max 3 1\na 1 2 3\n", ".gr", ":1: the line `p sp` is missing; ");
  EXPECT_REFUSED("p sp 3\n", ".gr", ":1: the line ends before the number of arcs; ");
  EXPECT_REFUSED("p sp 0 0\n", ".gr", ":1: number of vertices 0 is out of range; ");
  EXPECT_REFUSED("p sp 3 1 1\n", ".gr", ":1: the line has more than two numbers; ");
  EXPECT_REFUSED("p sp 3 1\ne 1 2 3\n", ".gr", ":2: the line begins with 'e'; ");
  EXPECT_REFUSED("p sp 3 1\na 1 4 3\n", ".gr", ":2: vertex 4 is out of range; use whole numbers from 1 to 3");
  EXPECT_REFUSED("p sp 3 1\na 0 1 3\n", ".gr", ":2: vertex 0 is out of range; ");
  EXPECT_REFUSED("p sp 3 1\na 1 2\n", ".gr", ":2: the arc has no length; ");
  EXPECT_REFUSED("p sp 3 1\na 1 2 3 4\n", ".gr", ":2: '4' stands after the length; ");
  EXPECT_REFUSED("p sp 3 2\na 1 2 3\n", ".gr", ":3: the file has 1 arcs instead of the 2 of its line `p sp`; ");
  EXPECT_REFUSED("p sp 3 1\na 1 2 3\na 2 3 1\n", ".gr", ":4: the file has 2 arcs instead of the 1");
}

TEST(Metis, IsReadWithAndWithoutWeights) {
  // The graph of METIS's manual, shortened: a path of three, and a vertex alone.
  const auto plain = load_text("% a comment\n4 2\n2\n1 3\n% another\n2\n\n", ".graph");
  EXPECT_EQ(plain.graph.vertices, 4);
  EXPECT_FALSE(plain.graph.directed);
  EXPECT_EQ(arcs_of(plain.graph), (Arcs{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
  EXPECT_FALSE(plain.weights.present);
  TemporaryFile weighted("3 2 111 2\n9 1 1 2 7\n9 1 1 1 7 3 300\n9 1 1 2 300\n", ".metis");
  on_every_executor([&](auto& e) {
    const auto loaded = load_graph(e, weighted.path(), false);
    EXPECT_EQ(arcs_of(loaded.graph), (Arcs{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
    ASSERT_TRUE(loaded.weights.usable);
    const auto weights = load_weights(e, weighted.path(), loaded);
    EXPECT_EQ(weights[0], 7U);
    EXPECT_EQ(weights[3], 300U);
  });
}

TEST(Metis, RefusesWhatIsNone) {
  EXPECT_REFUSED("% c\n", ".metis", ":1: the first line is missing; ");
  EXPECT_REFUSED("x 1\n", ".metis", ":1: number of vertices 'x' is not a whole number; ");
  EXPECT_REFUSED("3 1 2\n", ".metis", ":1: format '2' is unknown; ");
  EXPECT_REFUSED("3 1 1 1 1\n", ".metis", ":1: the line has more than four fields; ");
  EXPECT_REFUSED("3 1\n2\n1\n", ".metis", ":4: the file ends after 2 of 3 vertices; ");
  EXPECT_REFUSED("2 1\n2\n1\n1\n", ".metis", ":4: a line more than the 2 vertices of the first line; ");
  EXPECT_REFUSED("2 1\n3\n1\n", ".metis", ":2: vertex 3 is out of range; ");
  EXPECT_REFUSED("2 1\n0\n1\n", ".metis", ":2: vertex 0 is out of range; ");
  EXPECT_REFUSED("2 2\n2\n1\n", ".metis", ":4: the file names 2 neighbours, 2 edges have 4; ");
  EXPECT_REFUSED("3 1\n2\n\n2\n", ".metis", ": 1 edges are said to be at both of their ends, and 2 ");
  EXPECT_REFUSED("2 1 1\n2\n1 5\n", ".metis", ":2: the last edge has no weight; ");
  EXPECT_REFUSED("2 1 10\n\n1 1\n", ".metis", ":2: the line ends before the weights of the vertex; ");
  EXPECT_REFUSED("2147483647 1\n2\n1\n", ".metis", ":4: the file ends after 2 of 2147483647 vertices; ");
}

/// A file of the GAP benchmark suite.
std::string serialized(bool directed, std::int64_t arcs, std::int64_t vertices,
                       const std::vector<std::int64_t>& offsets, const std::vector<std::int32_t>& neighbours) {
  std::string text(1, directed ? '\1' : '\0');
  auto put = [&text](const auto& value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(arcs);
  put(vertices);
  for (int side = 0; side < (directed ? 2 : 1); ++side) {
    for (auto offset : offsets) put(offset);
    for (auto neighbour : neighbours) put(neighbour);
  }
  return text;
}

TEST(Serialized, IsReadWithAndWithoutWeights) {
  const auto path = load_text(serialized(false, 4, 3, {0, 1, 3, 4}, {1, 0, 2, 1}), ".sg");
  EXPECT_FALSE(path.graph.directed);
  EXPECT_EQ(arcs_of(path.graph), (Arcs{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
  const auto directed = load_text(serialized(true, 2, 4, {0, 2, 2, 2, 2}, {1, 3}), ".sg");
  EXPECT_TRUE(directed.graph.directed);
  EXPECT_EQ(arcs_of(directed.graph), (Arcs{{0, 1}, {0, 3}}));
  EXPECT_EQ(directed.graph.transposed.degree(3), 1);
  TemporaryFile weighted(serialized(false, 4, 3, {0, 1, 3, 4}, {1, 7, 0, 7, 2, 300, 1, 300}), ".wsg");
  on_every_executor([&](auto& e) {
    const auto loaded = load_graph(e, weighted.path(), false);
    EXPECT_EQ(arcs_of(loaded.graph), (Arcs{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
    ASSERT_TRUE(loaded.weights.usable);
    const auto weights = load_weights(e, weighted.path(), loaded);
    EXPECT_EQ(weights[0], 7U);
    EXPECT_EQ(weights[3], 300U);
  });
  EXPECT_FALSE(load_text(serialized(false, 2, 2, {0, 1, 2}, {1, -5, 0, -5}), ".wsg").weights.usable);
}

TEST(Serialized, RefusesWhatIsNone) {
  const std::string good = serialized(false, 4, 3, {0, 1, 3, 4}, {1, 0, 2, 1});
  for (std::size_t size = 1; size < good.size(); ++size)
    EXPECT_NE(refusal(good.substr(0, size), ".sg"), "not refused") << size << " bytes";
  EXPECT_REFUSED("", ".sg", ": 0 bytes are less than a header; ");
  EXPECT_REFUSED(good + "x", ".sg", ": 66 bytes are not the size of a graph of 3 vertices and 4 arcs; ");
  EXPECT_REFUSED(good, ".wsg", ": 65 bytes are not the size of a graph of 3 vertices and 4 arcs with weights; ");
  EXPECT_REFUSED("\2" + good.substr(1), ".sg", ": its first byte is 2, not 0 or 1; ");
  EXPECT_REFUSED(serialized(false, 0, -1, {}, {}), ".sg", ": it claims -1 vertices; ");
  EXPECT_REFUSED(serialized(false, std::int64_t{1} << 62, 2147483647, {0}, {}), ".sg", ": 25 bytes are not the size");
  EXPECT_REFUSED(serialized(false, -4, 3, {0, 1, 3, 4}, {}), ".sg", ": 49 bytes are not the size");
  EXPECT_REFUSED(serialized(false, 4, 3, {0, 3, 1, 4}, {1, 0, 2, 1}), ".sg",
                 ": the list of vertex 1 ends before it begins; ");
  EXPECT_REFUSED(serialized(false, 4, 3, {1, 1, 3, 4}, {1, 0, 2, 1}), ".sg", ": its lists are from 1 to 4 of 4 arcs; ");
  EXPECT_REFUSED(serialized(false, 4, 3, {0, 1, 3, 4}, {1, 0, 3, 1}), ".sg",
                 ": vertex 1 has the neighbour 3 of 3 vertices; ");
  EXPECT_REFUSED(serialized(false, 4, 3, {0, 1, 3, 4}, {1, 0, -2, 1}), ".sg", ": vertex 1 has the neighbour -2 ");
  EXPECT_REFUSED(serialized(false, 4, 3, {0, 1, 3, 4}, {2, 0, 2, 1}), ".sg", ": 2 edges are said to be at both ");
}

TEST(Files, ReadTheSameForAnyNumberOfWorkersAsTheyWereWritten) {
  EXPECT_TRUE(rc::check("file of a graph", [] {
    const auto plain = *any_graph();
    std::ostringstream text;
    for (auto [u, v] : plain.drawn) text << u << ' ' << v << '\n';
    const auto expected = plain.arcs();
    if (plain.drawn.empty()) return;
    TemporaryFile file(text.str());
    on_every_executor([&](auto& e) {
      const auto loaded = load_graph(e, file.path(), !plain.directed);
      EXPECT_EQ(arcs_of(loaded.graph), Arcs(expected.begin(), expected.end()));
    });
  }));
}

TEST(Text, PiecesAreWholeLinesAndNothingIsLost) {
  EXPECT_TRUE(rc::check("pieces", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', '\n', ' '));
    const auto pieces = *rc::gen::inRange<std::size_t>(1, 9);
    std::string joined;
    for (auto part : cut_at_lines(text, pieces)) {
      RC_ASSERT(!part.empty());
      const bool whole = joined.empty() || joined.back() == '\n';  // apart: RC_ASSERT evaluates both sides of ||
      RC_ASSERT(whole);
      joined += part;
    }
    RC_ASSERT(joined == text);
  }));
}

TEST(Load, AFewBytesDoNotAskForGigabytes) {
  for (const auto& [text, ending] :
       {std::pair("1 2000000000\n", ".el"),
        std::pair("%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 1\n1 1\n", ".mtx")})
    EXPECT_NE(refusal(text, ending).find("or allow it with --file-memory"), std::string::npos) << refusal(text, ending);
  std::string same;  // 24 MB that gzip makes 24 KB of
  for (int i = 0; i < 6'000'000; ++i) same += "0 1\n";
  const std::string packed = gzip(same);
  EXPECT_NE(refusal(packed, ".el.gz").find("--file-memory"), std::string::npos) << packed.size();
  const TemporaryFile file(packed, ".el.gz");
  SerialExecutor e;
  EXPECT_EQ(load_graph(e, InputFile(file.path(), 1U << 30), true).graph.edges(), 1);
}

TEST(Load, ReadsWhatOtherProgramsWrite) {
  const Arcs both = {{0, 1}, {1, 0}};
  EXPECT_EQ(arcs_of(load_text("\xEF\xBB\xBF"
                              "+0 +1\n",
                              ".el", true)
                        .graph),
            both)
      << "a byte order mark, and plus signs";
  const Loaded fortran = load_text("0 1 1.0D+00\n1 0 2d0\n");
  EXPECT_TRUE(fortran.weights.usable);
  EXPECT_EQ(fortran.weights.largest, 2);
  EXPECT_EQ(load_text("0 1 1e-400\n").weights.smallest, 0);
  const std::string head = "%%MatrixMarket matrix coordinate ";
  EXPECT_EQ(arcs_of(load_text(head + "real skew-symmetric\n2 2 1\n2 1 3\n").graph), both);
  const Loaded hermitian = load_text(head + "complex hermitian\n2 2 1\n2 1 3 -1\n");
  EXPECT_EQ(arcs_of(hermitian.graph), both);
  EXPECT_FALSE(hermitian.weights.present);
}

TEST(Load, NamesTheFormatOfWhatIsNoText) {
  for (const auto& [beginning, name] : {std::pair("BZh91AY", "bzip2"),
                                        std::pair("\xFD"
                                                  "7zXZ",
                                                  "xz"),
                                        std::pair("\x28\xB5\x2F\xFD", "zstd"), std::pair("PK\x03\x04", "zip archive"),
                                        std::pair("\xFF\xFE"
                                                  "0",
                                                  "UTF-16")})
    EXPECT_NE(refusal(beginning).find(name), std::string::npos) << refusal(beginning);
}

TEST(Load, ReadsAllStreamsOfAGzipFileAndNothingBehindThem) {
  const Arcs both = {{0, 1}, {1, 2}};
  EXPECT_EQ(arcs_of(load_text(gzip("0 1\n") + gzip("1 2\n"), ".el.gz").graph), both);
  EXPECT_EQ(arcs_of(load_text(gzip("0 1\n1 2\n") + std::string(1024, '\0'), ".el.gz").graph), both) << "padding";
  EXPECT_NE(refusal(gzip("0 1\n") + "1 2\n", ".el.gz").find("stands behind the end of the gzip stream"),
            std::string::npos);
  const std::string whole = gzip("0 1\n1 2\n");
  for (std::size_t cut = 3; cut < whole.size(); ++cut)
    EXPECT_NE(refusal(whole.substr(0, cut), ".el.gz"), "") << cut << " of " << whole.size() << " bytes";
}

/// A line without an end must not take all the memory there is.
TEST(TextFile, RefusesLinesThatAreNoneAndLinesThatAreTooLong) {
  auto message = [](const std::string& content, FileKind kind) -> std::string {
    const TemporaryFile file(content);
    TextFile text(file.path(), kind);
    try {
      (void)text.next();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      return error.what();
    }
    return "accepted";
  };
  constexpr std::size_t more_than_a_block = std::size_t{17} << 20;
  EXPECT_NE(message("0 1\n" + std::string(more_than_a_block, '\0'), {}).find("accepted"), std::string::npos)
      << "the block before it is whole";
  EXPECT_NE(message(std::string(more_than_a_block, '\0'), {}).find(":1: zero bytes in it"), std::string::npos);
  FileKind short_lines;
  short_lines.longest_line = 1U << 20;
  const std::string endless(more_than_a_block, '7');
  EXPECT_NE(message(endless, short_lines).find(":1: the line is longer than"), std::string::npos);
  EXPECT_EQ(message(endless, {}), "accepted");
}

}  // namespace
}  // namespace charm::workloads::testing
