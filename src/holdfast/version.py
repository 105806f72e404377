"""The version of the package, stated once, and the name of the distribution: `holdfast` is another project's."""

__version__ = "0.2.0"
DISTRIBUTION = "holdfast-context"
