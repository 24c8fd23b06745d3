#!/usr/bin/env python3
"""Compares `charm bench sgd` with scikit-learn's logistic regression on data sets that come with scikit-learn.

    sgd_against_sklearn.py CHARM

The data are written as LIBSVM files to a temporary folder; nothing of them is kept. Both minimise the mean logistic
loss plus |w|^2 / (2 rows), without intercept (scikit-learn: C = 1). The least objective that CHARM's reference finds has
to be scikit-learn's, and every kernel of CHARM has to come as close to it as it was asked to. Exit code 77: there is no
scikit-learn here.
"""
import json
import re
import subprocess
import sys
import tempfile

try:
    import numpy
    from sklearn.datasets import dump_svmlight_file, load_breast_cancer, load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import MaxAbsScaler
except ImportError as missing:
    print(f"left out: {missing}")
    sys.exit(77)

TOLERANCE = 2e-4  # CHARM prints four digits, and its reference stops at a thousandth of the loss removed


def inputs():
    """(name, features divided by their largest magnitude, labels -1 and +1)"""
    cancer = load_breast_cancer()
    yield "breast-cancer", MaxAbsScaler().fit_transform(cancer.data), numpy.where(cancer.target > 0, 1, -1)
    digits = load_digits()
    yield "digits, even against odd", MaxAbsScaler().fit_transform(digits.data), numpy.where(digits.target % 2, 1, -1)


def objective(samples, labels, model):
    return numpy.logaddexp(0, -labels * (samples @ model)).mean() + model @ model / (2 * len(labels))


def main(charm):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, samples, labels in inputs():
            fit = LogisticRegression(C=1, fit_intercept=False, tol=1e-10, max_iter=100000).fit(samples, labels)
            least = objective(samples, labels, fit.coef_[0])
            path = f"{folder}/samples.svm"
            dump_svmlight_file(samples, labels, path, zero_based=False)
            kernels = "sgd-core,sgd-machine,sgd-column"
            said = subprocess.run(
                [charm, "bench", "sgd", "--file", path, "--kernel", kernels, "--update", "averaged", "--epochs", "20000",
                 "--target", ".01", "--trials", "1", "--runtime", "serial", "--json", "-q"],
                capture_output=True, text=True, check=False)
            if said.returncode != 0:
                print(f"{name}: exit code {said.returncode}: {said.stderr}{said.stdout[-500:]}")
                failures += 1
                continue
            for row in json.loads(said.stdout)["results"]:
                found, best = (float(x) for x in re.search(r"objective ([\d.]+), at best ([\d.]+)", row["detail"]).groups())
                allowed = least + .01 * (numpy.log(2) - least)
                right = row["verified"] and abs(best - least) <= TOLERANCE and found <= allowed + TOLERANCE
                failures += not right
                print(f"{name}: {row['kernel']} {found:.4f}, at best {best:.4f}; scikit-learn {least:.4f}: "
                      f"{'right' if right else 'WRONG'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
