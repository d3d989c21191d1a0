"""Addresses of the project, in the one place that has them."""

REPOSITORY = "https://github.com/pytrees/pytrees"
SITE = "https://pytrees.github.io/pytrees"

# scikit-learn fills in an estimator's name, for the link in its HTML representation. Estimators stand in `pytrees`
# itself, whatever module defines them; criteria and distances in their own.
ESTIMATOR_PAGE = SITE + "/api/generated/pytrees.{estimator_name}.html"
CRITERION_PAGE = SITE + "/api/generated/{estimator_module}.{estimator_name}.html"
