"""The smallest consistent tree."""
