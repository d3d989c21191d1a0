"""The addresses of the project; no other file repeats them."""

REPOSITORY = "https://github.com/pytrees/pytrees"
SITE = "https://pytrees.github.io/pytrees"

# scikit-learn fills in an estimator's name, for the link in its HTML representation. The addresses of trees and forests
# name `pytrees` alone, whatever module defines them; those of Fourier estimators, criteria and distances a module too.
ESTIMATOR_PAGE = SITE + "/api/generated/pytrees.{estimator_name}.html"
FOURIER_PAGE = SITE + "/api/generated/pytrees.fourier.{estimator_name}.html"
CRITERION_PAGE = SITE + "/api/generated/{estimator_module}.{estimator_name}.html"
