"""The estimators: single trees and forests."""
