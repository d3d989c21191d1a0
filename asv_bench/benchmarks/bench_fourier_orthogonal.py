"""Principal components of an ensemble, as trees."""

from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split

from pytrees import OrthogonalTreesClassifier, config_context

from .common import ENGINES


class Forest:
    """A forest of scikit-learn on Breast Cancer, fitted already; ten components."""

    params = ([100, 500], ["separate", "shared"])
    param_names = ("n_trees", "structure")

    def setup(self, n_trees, structure):
        X, y = load_breast_cancer(return_X_y=True)
        self.X, self.X_test, self.y, self.y_test = train_test_split(X, y, stratify=y, random_state=0)
        forest = RandomForestClassifier(n_trees, random_state=0).fit(self.X, self.y)
        self.estimator = OrthogonalTreesClassifier(
            FrozenEstimator(forest), n_components=10, combine="least_squares", center=True, structure=structure
        )
        self.fitted = self.estimator.fit(self.X, self.y)

    def time_fit(self, n_trees, structure):
        self.estimator.fit(self.X, self.y)

    def peakmem_fit(self, n_trees, structure):
        self.estimator.fit(self.X, self.y)

    def time_predict(self, n_trees, structure):
        self.fitted.predict(self.X_test)

    def track_accuracy(self, n_trees, structure):
        return self.fitted.score(self.X_test, self.y_test)

    def track_explained_variance(self, n_trees, structure):
        return float(self.fitted.explained_variance_ratio_.sum())


class Engines:
    """Few small trees of Iris, which has several classes."""

    params = (ENGINES,)
    param_names = ("engine",)

    def setup(self, engine):
        self.X, self.y = load_iris(return_X_y=True)
        forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(self.X, self.y)
        self.estimator = OrthogonalTreesClassifier(FrozenEstimator(forest), n_components=1, max_leaf_nodes=3)

    def time_fit(self, engine):
        with config_context(engine=engine):
            self.estimator.fit(self.X, self.y)
