// The exact answers against a solver of linear programs that others wrote (GLPK), on 10,000 random machines.
#include <glpk.h>

#include <gtest/gtest.h>

#include "memory_traffic/machines.hpp"
#include "tools/memory_traffic/flow.hpp"
#include "tools/memory_traffic/shared.hpp"

namespace charm::memory_traffic::test {
namespace {

/// The rows of shared.hpp's program, written down a second time from its definition.
double optimum(const Model& model, const std::vector<Reader>& readers) {
  glp_prob* program = glp_create_prob();
  glp_set_obj_dir(program, GLP_MAX);
  const int memories = static_cast<int>(model.memories.size());
  glp_add_cols(program, memories);
  for (int m = 0; m < memories; ++m) {
    glp_set_col_bnds(program, m + 1, GLP_DB, 0, model.memories[static_cast<std::size_t>(m)].gb_per_s);
    glp_set_obj_coef(program, m + 1, 1);
  }
  for (std::size_t d = 1; d < model.domains.size(); ++d) {
    for (const bool outwards : {true, false}) {
      const double limit = outwards ? model.domains[d].out_gb_per_s : model.domains[d].in_gb_per_s;
      if (limit == unlimited) continue;
      std::vector<int> columns = {0};
      std::vector<double> shares = {0};
      for (int m = 0; m < memories; ++m) {
        double share = 0;
        for (const Reader& reader : readers) {
          const bool memory_in =
              lies_in(model, model.memories[static_cast<std::size_t>(m)].domain, static_cast<int>(d));
          const bool reader_in = lies_in(model, reader.root, static_cast<int>(d));
          if (memory_in != reader_in && memory_in == outwards) share += reader.share;
        }
        if (share == 0) continue;
        columns.push_back(m + 1);
        shares.push_back(share);
      }
      const int row = glp_add_rows(program, 1);
      glp_set_row_bnds(program, row, GLP_UP, 0, limit);
      glp_set_mat_row(program, row, static_cast<int>(columns.size()) - 1, columns.data(), shares.data());
    }
  }
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  EXPECT_EQ(glp_simplex(program, &parameters), 0);
  EXPECT_EQ(glp_get_status(program), GLP_OPT);
  const double best = glp_get_obj_val(program);
  glp_delete_prob(program);
  return best;
}

double total(const Weights& flow) {
  double sum = 0;
  for (const double part : flow) sum += part;
  return sum;
}

}  // namespace

TEST(AgainstGlpk, OneReaderAndSeveral) {
  base::Random random(4);
  for (int i = 0; i < 10000; ++i) {
    const Model model = random_model(random);
    const std::vector<int> all = roots(model);
    const int root = all[random.index(all.size())];
    const AccessTree tree = access_tree(model, root, capacities(model));
    const double best = optimum(model, {{root, 1}});
    ASSERT_NEAR(max_flow(tree), best, 1e-6 * best);
    ASSERT_NEAR(rate(tree, nearest_first(tree)), best, 1e-6 * best);
    std::vector<Reader> readers;
    double sum = 0;
    for (const int each : all) {
      readers.push_back({each, 0.01 + random.unit()});
      sum += readers.back().share;
    }
    for (Reader& reader : readers) reader.share /= sum;
    const double together = optimum(model, readers);
    const Weights flow = shared_flow(model, capacities(model), readers);
    ASSERT_NEAR(total(flow), together, 1e-6 * together);
    ASSERT_NEAR(shared_rate(model, capacities(model), readers, flow), together, 1e-5 * together);
  }
}

}  // namespace charm::memory_traffic::test
